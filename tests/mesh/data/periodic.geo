// A unit cube whose meshes on opposite sides are copies of each other along x and y.
//   gmsh -3 -nt 1 -format msh41 periodic.geo -o periodic.msh
SetFactory("OpenCASCADE");
Mesh.MeshSizeMin = 0.5;
Mesh.MeshSizeMax = 0.5;
Box(1) = {0, 0, 0, 1, 1, 1};
xmin() = Surface In BoundingBox{-0.1, -0.1, -0.1, 0.1, 1.1, 1.1};
xmax() = Surface In BoundingBox{0.9, -0.1, -0.1, 1.1, 1.1, 1.1};
ymin() = Surface In BoundingBox{-0.1, -0.1, -0.1, 1.1, 0.1, 1.1};
ymax() = Surface In BoundingBox{-0.1, 0.9, -0.1, 1.1, 1.1, 1.1};
zmin() = Surface In BoundingBox{-0.1, -0.1, -0.1, 1.1, 1.1, 0.1};
zmax() = Surface In BoundingBox{-0.1, -0.1, 0.9, 1.1, 1.1, 1.1};
Periodic Surface {xmax(0)} = {xmin(0)} Translate {1, 0, 0};
Periodic Surface {ymax(0)} = {ymin(0)} Translate {0, 1, 0};
Physical Volume("crystal", 1) = {1};
Physical Surface("west", 1) = {xmin(0)};
Physical Surface("east", 2) = {xmax(0)};
Physical Surface("south", 3) = {ymin(0)};
Physical Surface("north", 4) = {ymax(0)};
Physical Surface("floor", 5) = {zmin(0)};
Physical Surface("roof", 6) = {zmax(0)};
