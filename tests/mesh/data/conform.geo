// Meshes of two volumes that are one mesh, and such that are not, by `kind`:
//   n=0; for what in whole touching double overlap gap covered shell shell-gap; do
//     gmsh -3 -nt 1 -format msh41 -bin -order $((n < 6 ? 1 : 2)) -setnumber kind $n conform.geo \
//       -o conform-$what.msh; n=$((n + 1)); done
//   gmsh -0 -nt 1 -format msh41 -bin -setnumber kind 8 conform.geo -save -o conform-crack.msh
SetFactory("OpenCASCADE");
DefineConstant[ kind = 0 ];
Mesh.MeshSizeMin = 1;
Mesh.MeshSizeMax = 1;
If(kind <= 4) // a box, and a larger one beside it
  Box(1) = {0, 0, 0, 1, 1, 1};
  shift = 1;
  height = 1.5;
  If(kind == 2) // the same triangles on both sides, of other nodes
    height = 1;
    Transfinite Curve{:} = 2;
    Transfinite Surface{:};
  EndIf
  If(kind == 3) // one goes into the other
    shift = 0.75;
  EndIf
  If(kind == 4) // a thousandth apart
    shift = 1.001;
  EndIf
  Box(2) = {shift, 0, 0, 0.7, height, 1};
  If(kind == 0)
    BooleanFragments{ Volume{:}; Delete; }{ }
    Physical Surface("between", 5) = {2};
  EndIf
  left() = Boundary{ Volume{1}; };
  right() = Boundary{ Volume{2}; };
  left() -= {2}; // of kind 2: without a surface group there
  right() -= {2};
  If(kind != 0 && kind != 2)
    left() += {2};
  EndIf
  If(kind == 2)
    right() -= {7};
  EndIf
  Physical Volume("left", 1) = {1};
  Physical Volume("right", 2) = {2};
  Physical Surface("left-walls", 3) = left();
  Physical Surface("right-walls", 4) = right();
EndIf
If(kind == 5) // a ball in a box that has no hole for it
  Box(1) = {0, 0, 0, 2, 2, 2};
  Sphere(2) = {1, 1, 1, 0.5};
  Physical Volume("air", 1) = {1};
  Physical Volume("ball", 2) = {2};
  Physical Surface("walls", 3) = {1:6};
  Physical Surface("skin", 4) = {7};
EndIf
If(kind == 8) // a plate that Gmsh cuts the mesh along
  Mesh.MeshSizeMin = 0.35;
  Mesh.MeshSizeMax = 0.35;
  Box(1) = {0, 0, 0, 1, 1, 1};
  Rectangle(20) = {0.2, 0.2, 0.5, 0.6, 0.6};
  BooleanFragments{ Volume{1}; Delete; }{ Surface{20}; Delete; }
  Physical Volume("air", 1) = {1};
  Physical Surface("plate", 2) = {20};
  Physical Surface("walls", 3) = {21:26};
  Mesh 3;
  Plugin(Crack).Dimension = 2;
  Plugin(Crack).PhysicalGroup = 2;
  Plugin(Crack).Run;
EndIf
If(kind == 6 || kind == 7) // a shell with a ball in it that touches it, or does not by less than edges are bent
  Sphere(1) = {0, 0, 0, 1};
  Sphere(2) = {0, 0, 0, 2};
  Sphere(3) = {0, 0, 0, kind == 6 ? 1 : 0.995};
  BooleanDifference(4) = { Volume{2}; Delete; }{ Volume{1}; Delete; };
  Physical Volume("shell", 1) = {4};
  Physical Volume("core", 2) = {3};
  Physical Surface("inside", 3) = Boundary{ Volume{4}; };
  Physical Surface("skin", 4) = Boundary{ Volume{3}; };
EndIf
