// Two conducting spheres of radius 1, centres 4 apart along z, in a ball of radius 8.
//   gmsh -3 -nt 1 -format msh41 -bin spheres.geo -o spheres.msh
SetFactory("OpenCASCADE");
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
If (!Exists(near))
  near = 0.35; // element size on the spheres
EndIf
grow = 0.35; // more of it a unit of distance

Sphere(1) = {0, 0, 0, 8};
Sphere(2) = {0, 0, -2, 1};
Sphere(3) = {0, 0, 2, 1};
BooleanDifference(4) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };

Field[1] = MathEval;
Field[1].F = Sprintf("%g + %g * (Sqrt(x*x + y*y + (z - 2)*(z - 2)) - 1)", near, grow);
Field[2] = MathEval;
Field[2].F = Sprintf("%g + %g * (Sqrt(x*x + y*y + (z + 2)*(z + 2)) - 1)", near, grow);
Field[3] = Min;
Field[3].FieldsList = {1, 2};
Background Field = 3;

lower[] = Surface In BoundingBox{-1.1, -1.1, -3.1, 1.1, 1.1, -0.9};
upper[] = Surface In BoundingBox{-1.1, -1.1, 0.9, 1.1, 1.1, 3.1};
far[] = Surface In BoundingBox{-8.1, -8.1, -8.1, 8.1, 8.1, 8.1};
far[] -= lower[];
far[] -= upper[];

Physical Volume("air", 1) = {4};
Physical Surface("lower", 1) = {lower[]};
Physical Surface("upper", 2) = {upper[]};
Physical Surface("far", 3) = {far[]};
