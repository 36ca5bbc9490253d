// WR-90 (22.86 mm x 10.16 mm) that becomes a guide with a ridge: in the middle of the lower wide side, 0.3 of it wide and
// half as high as the guide.
//   gmsh -3 -nt 1 -format msh41 -bin ridge.geo -o ridge.msh
// Lengths in millimetres. The ridge begins at z = 0; the ports are surfaces across the guides.
SetFactory("OpenCASCADE");
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
a = 22.86;
b = 10.16;
width = 0.3 * a;
height = 0.5 * b;
port = 12;  // from the step to the ports
behind = 5; // from the ports to the ends
near = 2.5; // element size at the edges of the ridge
far = 6;    // and elsewhere

Box(1) = {-a / 2, 0, -port - behind, a, b, behind};
Box(2) = {-a / 2, 0, -port, a, b, port};
Box(3) = {-a / 2, 0, 0, a, b, port};
Box(4) = {-a / 2, 0, port, a, b, behind};
Box(5) = {-width / 2, 0, 0, width, height, port + behind};
BooleanDifference{ Volume{3, 4}; Delete; }{ Volume{5}; Delete; }
BooleanFragments{ Volume{:}; Delete; }{}

// Elements grow with the distance from the edges of the ridge.
Field[1] = MathEval;
Field[1].F = Sprintf("%g + 0.5 * Sqrt((Abs(x) - %g)^2 + (y - %g)^2 + Min(z, 0)^2)", near, width / 2, height);
Field[2] = MathEval;
Field[2].F = Sprintf("%g", far);
Field[3] = Min;
Field[3].FieldsList = {1, 2};
Background Field = 3;

e = 1e-3;
in[] = Surface In BoundingBox{-a, -e, -port - e, a, b + e, -port + e};
out[] = Surface In BoundingBox{-a, -e, port - e, a, b + e, port + e};
before[] = Surface In BoundingBox{-a, -e, -port - behind - e, a, b + e, -port - behind + e};
after[] = Surface In BoundingBox{-a, -e, port + behind - e, a, b + e, port + behind + e};
metal[] = CombinedBoundary{ Volume{:}; };
metal[] -= {before[], after[]};
Physical Volume("air", 1) = {Volume{:}};
Physical Surface("metal", 1) = {metal[]};
Physical Surface("in", 2) = {in[]};
Physical Surface("out", 3) = {out[]};
Physical Surface("before", 4) = {before[]};
Physical Surface("after", 5) = {after[]};
