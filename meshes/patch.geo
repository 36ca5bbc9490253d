// A microstrip patch antenna, the half y > 0 of it: a patch on a substrate above a ground plane, fed by a probe. Patch, ground
// and probe are surfaces without thickness; the probe is the rectangle between ground and patch that has the port.
//   gmsh -3 -nt 1 -format msh41 -bin patch.geo -o patch.msh
// Lengths in millimetres. The electric field of the patch is along x.
SetFactory("OpenCASCADE");
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
height = 1.588; // of the substrate
length = 9.06;  // of the patch, along x
width = 11.86;  // along y
place = 2.6;    // of the probe, from the middle of the patch
pin = 1;        // width of the probe, which is like a wire with a quarter of it as radius
board = 30;     // side of ground and substrate
side = 9;       // of the air beside them
below = 9;      // and below
above = 11;     // and above
near = 1.6;     // element size at the edges of the patch
rim = 3.5;      // at those of the ground
far = 7;        // and elsewhere

half = board / 2 + side;
Box(1) = {-half, 0, -below, 2 * half, half, below + height + above};
Box(2) = {-board / 2, 0, 0, board, board / 2, height};
Rectangle(101) = {-board / 2, 0, 0, board, board / 2};
Rectangle(102) = {-length / 2, 0, height, length, width / 2};
Rectangle(103) = {0, 0, 0, height, pin / 2};
Rotate{ {0, 1, 0}, {0, 0, 0}, -Pi / 2 }{ Surface{103}; }
Translate{ place, 0, 0 }{ Surface{103}; }
BooleanFragments{ Volume{:}; Delete; }{ Surface{101:103}; Delete; }

e = 1e-3;
ground[] = Surface In BoundingBox{-board / 2 - e, -e, -e, board / 2 + e, board / 2 + e, e};
patch[] = Surface In BoundingBox{-length / 2 - e, -e, height - e, length / 2 + e, width / 2 + e, height + e};
feed[] = Surface In BoundingBox{place - e, -e, -e, place + e, pin / 2 + e, height + e};
middle[] = Surface In BoundingBox{-half - e, -e, -below - e, half + e, e, height + above + e};
// Elements grow with the distance from the edges of the conductors, where fields are infinite.
Field[1] = Distance;
Field[1].CurvesList = {Abs(Boundary{ Surface{patch[]}; })};
Field[1].Sampling = 100;
Field[2] = Distance;
Field[2].CurvesList = {Abs(Boundary{ Surface{ground[]}; })};
Field[2].Sampling = 100;
Field[3] = MathEval;
Field[3].F = Sprintf("Min(%g, Min(%g + 0.4 * F1, %g + 0.4 * F2))", far, near, rim);
Background Field = 3;

substrate[] = Volume In BoundingBox{-board / 2 - e, -e, -e, board / 2 + e, board / 2 + e, height + e};
air[] = Volume{:};
air[] -= {substrate[]};
open[] = CombinedBoundary{ Volume{:}; };
open[] -= {middle[]};
Physical Volume("substrate", 1) = {substrate[]};
Physical Volume("air", 2) = {air[]};
Physical Surface("ground", 1) = {ground[]};
Physical Surface("patch", 2) = {patch[]};
Physical Surface("feed", 3) = {feed[]};
Physical Surface("middle", 4) = {middle[]};
Physical Surface("open", 5) = {open[]};
