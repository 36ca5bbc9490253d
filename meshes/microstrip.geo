// A microstrip with an open stub, in a metal box: the strip lies on a substrate 1 mm high and has no thickness.
//   gmsh -3 -nt 1 -format msh41 -bin microstrip.geo -o microstrip.msh
// Lengths in millimetres. The line is along z, the stub along x; the ports are surfaces across the box.
SetFactory("OpenCASCADE");
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
height = 1;   // of the substrate
width = 1.8;  // of the strip and of the stub
stub = 10;    // its length, from the edge of the strip
port = 8;     // from the middle of the stub to the ports
behind = 3;   // from the ports to the ends of the box
left = 6;     // from the middle of the strip to the box's side
right = 16;
top = 7;
near = 0.8;   // element size at the edges of the strip and of the stub
far = 4;      // and elsewhere

For k In {0:3}
  z = {-port - behind, -port, 0, port};
  d = {behind, port, port, behind};
  Box(2 * k + 1) = {-left, 0, z[k], left + right, height, d[k]};
  Box(2 * k + 2) = {-left, height, z[k], left + right, top - height, d[k]};
EndFor
Rectangle(101) = {-width / 2, -port - behind, height, width, 2 * (port + behind)};
Rectangle(102) = {width / 2, -width / 2, height, stub, width};
Rotate{ {1, 0, 0}, {0, 0, height}, -Pi / 2 }{ Surface{101, 102}; }
Translate{ 0, height, -height }{ Surface{101, 102}; }
BooleanFragments{ Volume{:}; Delete; }{ Surface{101, 102}; Delete; }

e = 1e-3;
strip[] = Surface In BoundingBox{-width / 2 - e, height - e, -port - behind - e, width / 2 + stub + e, height + e, port + behind + e};
// Elements grow with the distance from the edges.
Field[1] = Distance;
Field[1].CurvesList = {Abs(Boundary{ Surface{strip[]}; })};
Field[1].Sampling = 100;
Field[2] = MathEval;
Field[2].F = Sprintf("Min(%g, %g + 0.45 * F1)", far, near);
Background Field = 2;

substrate[] = Volume In BoundingBox{-left - e, -e, -port - behind - e, right + e, height + e, port + behind + e};
air[] = Volume In BoundingBox{-left - e, height - e, -port - behind - e, right + e, top + e, port + behind + e};
in[] = Surface In BoundingBox{-left - e, -e, -port - e, right + e, top + e, -port + e};
out[] = Surface In BoundingBox{-left - e, -e, port - e, right + e, top + e, port + e};
before[] = Surface In BoundingBox{-left - e, -e, -port - behind - e, right + e, top + e, -port - behind + e};
after[] = Surface In BoundingBox{-left - e, -e, port + behind - e, right + e, top + e, port + behind + e};
box[] = CombinedBoundary{ Volume{:}; };
box[] -= {before[], after[]};
Physical Volume("substrate", 1) = {substrate[]};
Physical Volume("air", 2) = {air[]};
Physical Surface("box", 1) = {box[]};
Physical Surface("strip", 2) = {strip[]};
Physical Surface("in", 3) = {in[]};
Physical Surface("out", 4) = {out[]};
Physical Surface("before", 5) = {before[]};
Physical Surface("after", 6) = {after[]};
