// A ball of radius 1 with elements of second order: those at the surface are curved.
//   gmsh -3 -nt 1 -order 2 -format msh41 -bin ball.geo -o ball.msh
SetFactory("OpenCASCADE");
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
Mesh.HighOrderOptimize = 1;
// gmsh -setnumber h 0.25 changes it.
DefineConstant[ h = 0.42 ]; // element size
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
Sphere(1) = {0, 0, 0, 1};
Physical Volume("inside", 1) = {1};
Physical Surface("wall", 1) = {1};
