// A thin shell, whose tetrahedra are all curved.
//   gmsh -3 -nt 1 -order 2 -format msh41 -bin shell.geo -o shell.msh
SetFactory("OpenCASCADE");
Mesh.Algorithm3D = 1;
Mesh.HighOrderOptimize = 0;
Mesh.MeshSizeMin = 0.04; Mesh.MeshSizeMax = 0.04;
Sphere(1) = {0,0,0,1};
Sphere(2) = {0,0,0,0.955};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Physical Volume("air", 1) = {3};
b[] = Surface In BoundingBox{-1.1,-1.1,-1.1,1.1,1.1,1.1}; Physical Surface("sphere",1)={b[]};
