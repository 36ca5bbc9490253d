// A silicon strip in silica, 450 nm wide and 220 nm high, that turns by 90 degrees: its half above the plane y = 0.
//   gmsh -3 -nt 1 -format msh41 -bin silicon-bend.geo -o silicon-bend.msh
// Lengths in micrometres. The strip comes along z and leaves along x; the ports are surfaces across it, inside the mesh.
SetFactory("OpenCASCADE");
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
width = 0.45;
height = 0.11; // half of the strip's
radius = 1.5;  // of the bend, to the middle of the strip
arm = 0.4;     // from the ports to the bend
behind = 0.4;  // from the ports to the mesh's ends
side = 0.75;   // half of the ports' width
top = 0.75;    // their height above the plane
margin = 0.25; // from the ports' outlines to the mesh's sides
near = 0.16;   // element size in the strip
far = 0.4;     // and elsewhere

low = -side - margin;
front = -arm - behind;
end = radius + arm + behind;
high = radius + side + margin;
Box(1) = {low, 0, front, end - low, top + margin, high - front};
// Two arms, and a quarter of a ring around (radius, 0, 0).
Box(2) = {-width / 2, 0, front, width, height, -front};
Box(3) = {radius, 0, radius - width / 2, end - radius, height, width};
Point(1001) = {radius, 0, 0};
Point(1002) = {-width / 2, 0, 0};
Point(1003) = {width / 2, 0, 0};
Point(1004) = {radius, 0, radius - width / 2};
Point(1005) = {radius, 0, radius + width / 2};
Line(1001) = {1002, 1003};
Circle(1002) = {1003, 1001, 1004};
Line(1003) = {1004, 1005};
Circle(1004) = {1005, 1001, 1002};
Curve Loop(1001) = {1001, 1002, 1003, 1004};
Plane Surface(1001) = {1001};
Extrude{ 0, height, 0 }{ Surface{1001}; }
Rectangle(2001) = {-side, 0, -arm, 2 * side, top};
Rectangle(2002) = {-side, 0, 0, 2 * side, top};
Rotate{ {0, 1, 0}, {0, 0, 0}, Pi / 2 }{ Surface{2002}; }
Translate{ radius + arm, 0, radius }{ Surface{2002}; }
BooleanFragments{ Volume{:}; Delete; }{ Surface{2001, 2002}; Delete; }

// Elements grow with the distance from the strip, in its plane and above it.
Field[1] = MathEval;
Field[1].F = Sprintf("Min(%g, %g + 0.35 * (Max(0, y - %g) + Max(0, (Step(-z) * Abs(x) + Step(z) * Step(%g - x) * Abs(Sqrt((x - %g)^2 + z^2) - %g) + Step(z) * Step(x - %g) * Abs(z - %g)) - %g)))", far, near, height, radius, radius, radius, radius, radius, width / 2);
Background Field = 1;

e = 1e-3;
silicon[] = Volume In BoundingBox{-width / 2 - e, -e, front - e, end + e, height + e, radius + width / 2 + e};
silica[] = Volume{:};
silica[] -= silicon[];
middle[] = Surface In BoundingBox{low - e, -e, front - e, end + e, e, high + e};
in[] = Surface In BoundingBox{-side - e, -e, -arm - e, side + e, top + e, -arm + e};
out[] = Surface In BoundingBox{radius + arm - e, -e, radius - side - e, radius + arm + e, top + e, radius + side + e};
open[] = CombinedBoundary{ Volume{:}; };
open[] -= {middle[]};
Physical Volume("silicon", 1) = {silicon[]};
Physical Volume("silica", 2) = {silica[]};
Physical Surface("middle", 1) = {middle[]};
Physical Surface("in", 2) = {in[]};
Physical Surface("out", 3) = {out[]};
Physical Surface("open", 4) = {open[]};
