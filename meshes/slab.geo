// A duct along z that a plane wave fits into: 0.2 x 0.2 and 2 long, with a slab of another medium from
// z = 0.8 to 1.2, and planes across it before and behind the slab.
//   gmsh -3 -nt 1 -format msh41 -bin slab.geo -o slab.msh
a = 0.2; // side, and length of the elements

Point(1) = {0, 0, 0};
Point(2) = {a, 0, 0};
Point(3) = {a, a, 0};
Point(4) = {0, a, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Transfinite Curve{1, 2, 3, 4} = 2;
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Surface{1};
// of each piece: [0] its end, [1] the volume, [2..5] the sides along the lines 1 to 4
before[] = Extrude {0, 0, 0.6} { Surface{1}; Layers{3}; };
beside[] = Extrude {0, 0, 0.2} { Surface{before[0]}; Layers{1}; };
slab[] = Extrude {0, 0, 0.4} { Surface{beside[0]}; Layers{2}; };
next[] = Extrude {0, 0, 0.2} { Surface{slab[0]}; Layers{1}; };
after[] = Extrude {0, 0, 0.6} { Surface{next[0]}; Layers{3}; };

Physical Volume("air", 1) = {before[1], beside[1], next[1], after[1]};
Physical Volume("slab", 2) = {slab[1]};
Physical Surface("zmin", 1) = {1};
Physical Surface("zmax", 2) = {after[0]};
Physical Surface("xmin", 3) = {before[5], beside[5], slab[5], next[5], after[5]};
Physical Surface("xmax", 7) = {before[3], beside[3], slab[3], next[3], after[3]};
Physical Surface("ymin", 4) = {before[2], beside[2], slab[2], next[2], after[2]};
Physical Surface("ymax", 8) = {before[4], beside[4], slab[4], next[4], after[4]};
Physical Surface("front", 5) = {before[0]};
Physical Surface("behind", 6) = {next[0]};
