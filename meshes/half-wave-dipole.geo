// A half-wave dipole in a box: two strips without thickness on the z axis, and the rectangle between them, which is fed.
//   gmsh -3 -nt 1 -format msh41 -bin half-wave-dipole.geo -o half-wave-dipole.msh
// Lengths in metres; half a wave is 0.5 at 300 MHz.
SetFactory("OpenCASCADE");
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
length = 0.47; // of the antenna, tip to tip
width = 0.04;  // of the strips; as a wire with a quarter of it as radius
gap = 0.04;
near = 0.04;   // element size at the antenna
far = 0.15;    // and at the box
side = 0.3;    // half the box

Box(1) = {-side, -side, -side - 0.1, 2 * side, 2 * side, 2 * side + 0.2};
Rectangle(101) = {-length / 2, -width / 2, 0, length / 2 - gap / 2, width};
Rectangle(102) = {gap / 2, -width / 2, 0, length / 2 - gap / 2, width};
Rectangle(103) = {-gap / 2, -width / 2, 0, gap, width};
Rotate {{0, 1, 0}, {0, 0, 0}, Pi / 2} { Surface{101, 102, 103}; }
BooleanFragments{ Volume{1}; Delete; }{ Surface{101, 102, 103}; Delete; }

// Elements grow with the distance from the antenna.
Field[1] = MathEval;
Field[1].F = Sprintf("%g + 0.35 * Sqrt(x*x + y*y + (Max(Abs(z) - %g, 0))^2)", near, length / 2);
Field[2] = MathEval;
Field[2].F = Sprintf("%g", far);
Field[3] = Min;
Field[3].FieldsList = {1, 2};
Background Field = 3;

strips[] = Surface In BoundingBox{-0.05, -0.05, -0.25, 0.05, 0.05, 0.25};
feed[] = Surface In BoundingBox{-0.05, -0.05, -gap, 0.05, 0.05, gap};
outer[] = Surface In BoundingBox{-1, -1, -1, 1, 1, 1};
outer[] -= strips[];
strips[] -= feed[];
Physical Volume("air", 1) = {1};
Physical Surface("antenna", 1) = {strips[]};
Physical Surface("outer", 2) = {outer[]};
Physical Surface("feed", 3) = {feed[]};
