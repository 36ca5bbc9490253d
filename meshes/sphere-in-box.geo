// The box (-2, 2)^3 around a conducting sphere of radius 1, which is left out; elements of second
// order, whose faces follow the sphere.
//   gmsh -3 -nt 1 -order 2 -format msh41 -bin sphere-in-box.geo -o sphere-in-box.msh
SetFactory("OpenCASCADE");
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
Mesh.OptimizeThreshold = 0.5;
Mesh.HighOrderOptimize = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
// gmsh -setnumber near 0.3 changes a number.
DefineConstant[
  near = 0.42 // element size on the sphere
  far = 0.55  // element size on the box
];

Box(1) = {-2, -2, -2, 4, 4, 4};
Sphere(2) = {0, 0, 0, 1};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };

// Elements grow with the distance from the sphere.
Field[1] = MathEval;
Field[1].F = Sprintf("%g + (%g - %g) * (Sqrt(x*x + y*y + z*z) - 1)", near, far, near);
Background Field = 1;

outer[] = Surface In BoundingBox{-2.1, -2.1, -2.1, 2.1, 2.1, 2.1};
sphere[] = Surface In BoundingBox{-1.1, -1.1, -1.1, 1.1, 1.1, 1.1};
outer[] -= sphere[];

Physical Volume("air", 1) = {3};
Physical Surface("sphere", 1) = {sphere[]};
Physical Surface("outer", 2) = {outer[]};
