// The unit cube with six named walls.
//   gmsh -3 -nt 1 -format msh41 -bin cube.geo -o cube.msh
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
h = 0.21; // element size
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;

Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {1, 1, 0};
Point(4) = {0, 1, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
// out[0]: the top, out[1]: the volume, out[2..5]: the sides along the lines 1 to 4
out[] = Extrude {0, 0, 1} { Surface{1}; };

Physical Volume("domain", 1) = {out[1]};
Physical Surface("xmin", 1) = {out[5]};
Physical Surface("xmax", 2) = {out[3]};
Physical Surface("ymin", 3) = {out[2]};
Physical Surface("ymax", 4) = {out[4]};
Physical Surface("zmin", 5) = {1};
Physical Surface("zmax", 6) = {out[0]};
