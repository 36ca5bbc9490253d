// A piece of a coaxial line: conductors of radius 1 and 2.3, 8 long, of 49.94 ohms if empty.
//   gmsh -3 -nt 1 -order 2 -format msh41 -bin coax.geo -o coax.msh
SetFactory("OpenCASCADE");
a = 1;
b = 2.3;
length = 8;
layers = 7; // of elements along the line
inner = 8;  // edges around the conductors
outer = 12;

Disk(1) = {0, 0, 0, b};
Disk(2) = {0, 0, 0, a};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
around[] = Boundary{ Surface{3}; };
For i In {0 : 1}
  box[] = BoundingBox Curve{around[i]};
  If (box[3] < (a + b) / 2)
    Transfinite Curve{around[i]} = inner + 1;
  Else
    Transfinite Curve{around[i]} = outer + 1;
  EndIf
EndFor
Mesh.MeshSizeMin = 1.3;
line[] = Extrude {0, 0, length} { Surface{3}; Layers{layers}; };

Physical Volume("line", 1) = {line[1]};
Physical Surface("conductors", 1) = {line[2], line[3]};
Physical Surface("near", 2) = {3};
Physical Surface("far", 3) = {line[0]};
