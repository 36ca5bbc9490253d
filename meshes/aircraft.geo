// A small aircraft in a box, with elements of very different sizes: 45 to 1 from the box's corners to
// the antenna. For local time steps.
//   gmsh -3 -nt 1 -format msh41 -bin aircraft.geo -o aircraft.msh
// About 50 thousand tetrahedra; with -setnumber h 0.33 about 350 thousand, in some minutes.
// Lengths in metres; the nose points to -x, up is z.
SetFactory("OpenCASCADE");
DefineConstant[ h = {1, Name "element sizes, by the default's"} ];
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
Mesh.OptimizeNetgen = 1; // leaves no slivers
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
far = 0.35 * h;     // element size at the box,
skin = 0.16 * h;    // on the body,
edge = 0.07 * h;    // at the edges of wings and tail,
slot = 0.012 * h;   // at the slot between wing and aileron,
wire = 0.008 * h;   // and at the antenna
growth = 0.35;      // of the size with the distance

// Fuselage, wings, tail plane, fin.
Cylinder(1) = {-1.2, 0, 0, 2, 0, 0, 0.3};
Cone(12) = {-1.2, 0, 0, -0.8, 0, 0, 0.3, 0.08};
Cone(13) = {0.8, 0, 0, 1.2, 0, 0, 0.3, 0.1};
Box(2) = {-0.4, -2.2, -0.03, 0.7, 4.4, 0.06};
Box(3) = {1.45, -0.8, -0.02, 0.4, 1.6, 0.04};
Box(4) = {1.45, -0.025, 0.01, 0.45, 0.05, 0.7};
// The antenna: a rod on the back, 10 mm in radius, a quarter of a wave long at 300 MHz.
Cylinder(5) = {-0.6, 0, 0.2, 0, 0, 0.33, 0.01};
BooleanUnion(6) = { Volume{1}; Delete; }{ Volume{2, 3, 4, 5, 12, 13}; Delete; };
// A slot of 30 mm between each wing and its aileron.
Box(7) = {0.1, 1.3, -0.1, 0.03, 0.5, 0.2};
Box(8) = {0.1, -1.8, -0.1, 0.03, 0.5, 0.2};
BooleanDifference(9) = { Volume{6}; Delete; }{ Volume{7, 8}; Delete; };
Box(10) = {-2.7, -2.9, -1, 5.4, 5.8, 2.4};
BooleanDifference(11) = { Volume{10}; Delete; }{ Volume{9}; Delete; };

// The size at a place is the least of all that the parts ask for there.
body() = Surface In BoundingBox {-2.1, -2.3, -0.4, 2.1, 2.3, 0.8};
wings() = Curve In BoundingBox {-0.41, -2.21, -0.04, 0.31, 2.21, 0.04};
tail() = Curve In BoundingBox {1.44, -0.81, -0.03, 1.91, 0.81, 0.71};
slots() = Curve In BoundingBox {0.09, -1.81, -0.04, 0.14, -1.29, 0.04};
slots() += Curve In BoundingBox {0.09, 1.29, -0.04, 0.14, 1.81, 0.04};
antenna() = Curve In BoundingBox {-0.62, -0.02, 0.2, -0.58, 0.02, 0.54};

Macro Part // with the curves or surfaces of field f, and `size` there
    Field[f].Sampling = 60;
    Field[f + 1] = Threshold;
    Field[f + 1].InField = f;
    Field[f + 1].SizeMin = size;
    Field[f + 1].SizeMax = far;
    Field[f + 1].DistMin = 0;
    Field[f + 1].DistMax = (far - size) / growth;
Return
f = 1; Field[f] = Distance; Field[f].SurfacesList = {body()}; size = skin; Call Part;
f = 3; Field[f] = Distance; Field[f].CurvesList = {wings(), tail()}; size = edge; Call Part;
f = 5; Field[f] = Distance; Field[f].CurvesList = {slots()}; size = slot; Call Part;
f = 7; Field[f] = Distance; Field[f].CurvesList = {antenna()}; size = wire; Call Part;
Field[9] = Min;
Field[9].FieldsList = {2, 4, 6, 8};
Background Field = 9;

outer() = Abs(Boundary{ Volume{11}; });
outer() -= body();
Physical Volume("air", 1) = {11};
Physical Surface("aircraft", 1) = {body()};
Physical Surface("outer", 2) = {outer()};
