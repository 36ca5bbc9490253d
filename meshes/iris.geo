// WR-90 (22.86 mm x 10.16 mm) with an inductive iris: a window 0.6 of the wide side and 0.1 of it thick.
//   gmsh -3 -nt 1 -format msh41 -bin iris.geo -o iris.msh
// Lengths in millimetres. The iris begins at z = 0; the ports are surfaces across the guide.
SetFactory("OpenCASCADE");
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
a = 22.86;
b = 10.16;
window = 0.6 * a;
thickness = 0.1 * a;
port = 12;  // from the iris to the ports
behind = 5; // from the ports to the ends
near = 2.5; // element size at the edges of the iris
far = 6;    // and elsewhere
layers = 1; // of elements over the height, along which no field changes

// The guide seen from above, cut at the ports; x and y of the rectangles are x and z of the guide.
Rectangle(1) = {-a / 2, -port - behind, 0, a, thickness + 2 * (port + behind)};
Rectangle(2) = {-a / 2, 0, 0, (a - window) / 2, thickness};
Rectangle(3) = {window / 2, 0, 0, (a - window) / 2, thickness};
BooleanDifference(4) = { Surface{1}; Delete; }{ Surface{2, 3}; Delete; };
Point(101) = {-a / 2, -port, 0};
Point(102) = {a / 2, -port, 0};
Point(103) = {-a / 2, thickness + port, 0};
Point(104) = {a / 2, thickness + port, 0};
Line(101) = {101, 102};
Line(102) = {103, 104};
parts[] = BooleanFragments{ Surface{4}; Delete; }{ Curve{101, 102}; Delete; };
Rotate {{1, 0, 0}, {0, 0, 0}, Pi / 2} { Surface{:}; }

// Elements grow with the distance from the four edges.
Field[1] = MathEval;
Field[1].F = Sprintf("%g + 0.5 * Sqrt((Abs(x) - %g)^2 + (Max(Abs(z - %g) - %g, 0))^2)", near, window / 2, thickness / 2, thickness / 2);
Field[2] = MathEval;
Field[2].F = Sprintf("%g", far);
Field[3] = Min;
Field[3].FieldsList = {1, 2};
Background Field = 3;
flat[] = Surface{:};
Extrude {0, b, 0} { Surface{flat[]}; Layers{layers}; }

e = 1e-3;
in[] = Surface In BoundingBox{-a, -e, -port - e, a, b + e, -port + e};
out[] = Surface In BoundingBox{-a, -e, thickness + port - e, a, b + e, thickness + port + e};
before[] = Surface In BoundingBox{-a, -e, -port - behind - e, a, b + e, -port - behind + e};
after[] = Surface In BoundingBox{-a, -e, thickness + port + behind - e, a, b + e, thickness + port + behind + e};
metal[] = Surface In BoundingBox{-a, -e, -100, a, b + e, 100};
metal[] -= {in[], out[], before[], after[]};
volumes[] = Volume{:};
Physical Volume("air", 1) = {volumes[]};
Physical Surface("metal", 1) = {metal[]};
Physical Surface("in", 2) = {in[]};
Physical Surface("out", 3) = {out[]};
Physical Surface("before", 4) = {before[]};
Physical Surface("after", 5) = {after[]};
