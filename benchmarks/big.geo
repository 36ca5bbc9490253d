// A unit cube with a round hole: an unstructured mesh for sedge-bench --mesh. About 400 thousand
// tetrahedra; with -setnumber h 0.0156 about a million.
//   gmsh -3 -bin big.geo -o big.msh
SetFactory("OpenCASCADE");
DefineConstant[ h = {0.0212, Name "edge length"} ];

Box(1) = {0, 0, 0, 1, 1, 1};
Sphere(2) = {0.5, 0.5, 0.5, 0.2};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };

MeshSize { PointsOf{ Volume{3}; } } = h;
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
Mesh.Algorithm3D = 10;

ball() = Surface In BoundingBox {0.25, 0.25, 0.25, 0.75, 0.75, 0.75};
walls() = Abs(Boundary{ Volume{3}; });
walls() -= ball();

Physical Volume("vacuum") = {3};
Physical Surface("walls") = walls();
Physical Surface("ball") = ball();
