// A box of two materials, few elements, written in the four formats:
//   for v in 22 41; do gmsh -3 -nt 1 -format msh$v tiny.geo -o tiny-$v-ascii.msh
//     gmsh -3 -nt 1 -format msh$v -bin tiny.geo -o tiny-$v-binary.msh; done
// The same elements in other forms (tiny-41-short-binary.msh is tiny-41-binary.msh with its sizes
// cut from 8 to 4 bytes):
//   gmsh -3 -nt 1 -format msh40 tiny.geo -o tiny-40-ascii.msh
//   gmsh -3 -nt 1 -format msh22 -save_parametric tiny.geo -o tiny-22-parametric-ascii.msh
//   gmsh -3 -nt 1 -format msh41 -bin -save_parametric tiny.geo -o tiny-41-parametric-binary.msh
//   gmsh -3 -nt 1 -format msh41 -part 3 -part_topo -part_ghosts tiny.geo -o tiny-41-parts-ascii.msh
//   gmsh -3 -nt 1 -format msh41 -bin -part 3 -part_topo tiny.geo -o tiny-41-parts-binary.msh
Mesh.MeshSizeMin = 0.7;
Mesh.MeshSizeMax = 0.7;

Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {1, 1.1, 0};
Point(4) = {0, 1.1, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
lower[] = Extrude {0, 0, 0.7} { Surface{1}; };
upper[] = Extrude {0, 0, 0.5} { Surface{lower[0]}; };

Physical Volume("lower part", 11) = {lower[1]};
Physical Volume("upper part", 12) = {upper[1]};
Physical Surface("bottom", 3) = {1};
Physical Surface("top", 4) = {upper[0]};
Physical Surface("sides", 7) = {lower[2], lower[3], lower[4], lower[5], upper[2], upper[3], upper[4], upper[5]};
Physical Surface("between", 9) = {lower[0]};
