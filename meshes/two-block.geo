// A square bar, z from -2 to 2, of two materials that meet in the plane z = 0.
//   gmsh -3 -nt 1 -format msh41 -bin two-block.geo -o two-block.msh
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
h = 0.17; // element size
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
a = 0.5; // width

Point(1) = {0, 0, -2};
Point(2) = {a, 0, -2};
Point(3) = {a, a, -2};
Point(4) = {0, a, -2};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
// [0]: the far end, [1]: the volume, [2..5]: the sides along the lines 1 to 4
left[] = Extrude {0, 0, 2} { Surface{1}; };
right[] = Extrude {0, 0, 2} { Surface{left[0]}; };

Physical Volume("left", 1) = {left[1]};
Physical Volume("right", 2) = {right[1]};
Physical Surface("xmin", 1) = {left[5], right[5]};
Physical Surface("xmax", 2) = {left[3], right[3]};
Physical Surface("ymin", 3) = {left[2], right[2]};
Physical Surface("ymax", 4) = {left[4], right[4]};
Physical Surface("zmin", 5) = {1};
Physical Surface("zmax", 6) = {right[0]};
Physical Surface("interface", 7) = {left[0]};
