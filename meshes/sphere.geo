// A ball of radius 3 around a conducting sphere of radius 1, which is left out.
//   gmsh -3 -nt 1 -format msh41 -bin sphere.geo -o sphere.msh
// gmsh -setnumber near 0.2 changes a number.
SetFactory("OpenCASCADE");
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
DefineConstant[
  near = 0.29 // element size on the sphere
  far = 0.55  // element size on the outer boundary
];

Sphere(1) = {0, 0, 0, 1};
Sphere(2) = {0, 0, 0, 3};
BooleanDifference(3) = { Volume{2}; Delete; }{ Volume{1}; Delete; };

// Elements grow with the distance from the sphere.
Field[1] = MathEval;
Field[1].F = Sprintf("%g + (%g - %g) * (Sqrt(x*x + y*y + z*z) - 1) / 2", near, far, near);
Background Field = 1;

outer[] = Surface In BoundingBox{-3.1, -3.1, -3.1, 3.1, 3.1, 3.1};
sphere[] = Surface In BoundingBox{-1.1, -1.1, -1.1, 1.1, 1.1, 1.1};
outer[] -= sphere[];

Physical Volume("air", 1) = {3};
Physical Surface("sphere", 1) = {sphere[]};
Physical Surface("outer", 2) = {outer[]};
