// A ball of radius 1 with second-order elements; the groups have no names.
//   gmsh -3 -nt 1 -order 2 -format msh41 curved.geo -o curved.msh
SetFactory("OpenCASCADE");
Mesh.MeshSizeMin = 1;
Mesh.MeshSizeMax = 1;
Sphere(1) = {0, 0, 0, 1};
Physical Volume(5) = {1};
Physical Surface(6) = {1};
