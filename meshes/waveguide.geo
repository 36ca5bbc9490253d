// A piece of the rectangular waveguide WR-90: 22.86 mm x 10.16 mm, 100 mm long, in metres.
//   gmsh -3 -nt 1 -format msh22 waveguide.geo -o waveguide.msh
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
h = 0.005; // element size: a sixth of the wavelength at 10 GHz
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
a = 0.02286;
b = 0.01016;

Point(1) = {0, 0, 0};
Point(2) = {a, 0, 0};
Point(3) = {a, b, 0};
Point(4) = {0, b, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
// out[0]: the far end, out[1]: the volume, out[2..5]: the sides along the lines 1 to 4
out[] = Extrude {0, 0, 0.1} { Surface{1}; };

Physical Volume("guide", 1) = {out[1]};
Physical Surface("walls", 1) = {out[2], out[3], out[4], out[5]};
Physical Surface("port1", 2) = {1};
Physical Surface("port2", 3) = {out[0]};
