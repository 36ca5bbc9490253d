// The box (-2, 2)^3 with a ball of radius 1 in it, and around the ball the box (-1.5, 1.5)^3, whose
// sides are for total fields inside and scattered fields outside. Elements of second order, whose
// faces follow the ball; those at the boxes are straight.
//   gmsh -3 -nt 1 -order 2 -format msh41 -bin solid-sphere.geo -o solid-sphere.msh
SetFactory("OpenCASCADE");
Mesh.Algorithm3D = 1; // Delaunay
Mesh.Optimize = 1;
Mesh.OptimizeThreshold = 0.5;
Mesh.HighOrderOptimize = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
// gmsh -setnumber near 0.3 changes a number; with core above 0 the ball has a core of that radius,
// which is a group of its own.
DefineConstant[
  near = 0.38 // element size in the ball
  far = 0.55  // element size on the outer box
  core = 0
];

Box(1) = {-2, -2, -2, 4, 4, 4};
Box(2) = {-1.5, -1.5, -1.5, 3, 3, 3};
Sphere(3) = {0, 0, 0, 1};
If (core > 0)
  Sphere(4) = {0, 0, 0, core};
EndIf
BooleanFragments{ Volume{:}; Delete; }{}

// Elements grow with the distance from the ball.
Field[1] = MathEval;
Field[1].F = Sprintf("%g + (%g - %g) * Max(0, Sqrt(x*x + y*y + z*z) - 1)", near, far, near);
Background Field = 1;

ball[] = Volume In BoundingBox{-1.1, -1.1, -1.1, 1.1, 1.1, 1.1};
air[] = Volume{:};
air[] -= ball[];
sphere[] = Surface In BoundingBox{-1.1, -1.1, -1.1, 1.1, 1.1, 1.1};
around[] = Surface In BoundingBox{-1.6, -1.6, -1.6, 1.6, 1.6, 1.6};
around[] -= sphere[];
outer[] = CombinedBoundary{ Volume{:}; };

If (core > 0)
  inside[] = Volume In BoundingBox{-core - 0.01, -core - 0.01, -core - 0.01, core + 0.01, core + 0.01, core + 0.01};
  ball[] -= inside[];
  Physical Volume("core", 3) = {inside[]};
EndIf
Physical Volume("ball", 1) = {ball[]};
Physical Volume("air", 2) = {air[]};
Physical Surface("outer", 1) = {outer[]};
Physical Surface("around", 2) = {around[]};
