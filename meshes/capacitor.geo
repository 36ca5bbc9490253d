// A spherical capacitor: the shell between spheres of radius 1 and 2.
//   gmsh -3 -nt 1 -order 2 -format msh41 -bin capacitor.geo -o capacitor.msh
SetFactory("OpenCASCADE");
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
Mesh.HighOrderOptimize = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
If (!Exists(h))
  h = 0.6;
EndIf
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;

Sphere(1) = {0, 0, 0, 1};
Sphere(2) = {0, 0, 0, 2};
BooleanDifference(3) = { Volume{2}; Delete; }{ Volume{1}; Delete; };

outer[] = Surface In BoundingBox{-2.1, -2.1, -2.1, 2.1, 2.1, 2.1};
inner[] = Surface In BoundingBox{-1.1, -1.1, -1.1, 1.1, 1.1, 1.1};
outer[] -= inner[];

Physical Volume("shell", 1) = {3};
Physical Surface("inner", 1) = {inner[]};
Physical Surface("outer", 2) = {outer[]};
