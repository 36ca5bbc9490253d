# Opens what test_fields wrote in ParaView and compares with the polynomials of output_case.h.
#
#   xvfb-run -a pvbatch --force-offscreen-rendering paraview_check.py FOLDER RANKS
#
# For each order: the list opens with two times, the fields probed at points inside the elements are
# the polynomial of that degree (a permuted node, or a reader that is linear within elements, gives
# errors of order one), and a picture of the field is not blank.
import os
import random
import sys

import vtk
from paraview import servermanager
from paraview.simple import *  # noqa: F403: ParaView's own way

SLOPES = ((0.9, -0.4, 0.3), (-0.2, 0.8, 0.5), (0.5, 0.3, -0.7), (0.4, 0.6, 0.35))
E_SI, P_SI = 2.5, 4.0
LIGHT = 4e8
TOLERANCE = 5e-6  # fp32 points and values of size up to 1.7, slopes up to 10
POINTS = 200


def value(order, field, x):
    a = SLOPES[field]
    return (0.2 + a[0] * x[0] + a[1] * x[1] + a[2] * x[2]) ** order


def need(condition, text):
    if not condition:
        print("failed:", text)
        sys.exit(1)


def probe(data, points):
    """E and p of `data` at the points, as lists of four numbers."""
    places = vtk.vtkPoints()
    places.SetDataTypeToDouble()
    for x in points:
        places.InsertNextPoint(x)
    cloud = vtk.vtkPolyData()
    cloud.SetPoints(places)
    probing = vtk.vtkProbeFilter()
    probing.SetInputData(cloud)
    probing.SetSourceData(data)
    probing.SetFindCellStrategy(vtk.vtkCellLocatorStrategy())  # walking needs shared points
    probing.Update()
    got = probing.GetOutput().GetPointData()
    found = got.GetArray("vtkValidPointMask")
    missed = [x for i, x in enumerate(points) if found.GetTuple1(i) != 1]
    need(not missed, "%d of %d points lie in no element" % (len(missed), len(points)))
    e, p = got.GetArray("E"), got.GetArray("p")
    return [e.GetTuple(i) + (p.GetTuple1(i),) for i in range(len(points))]


def linear_tets(data):
    """The same elements with their corners only."""
    flat = vtk.vtkUnstructuredGrid()
    flat.SetPoints(data.GetPoints())
    flat.GetPointData().ShallowCopy(data.GetPointData())
    for c in range(data.GetNumberOfCells()):
        ids = data.GetCell(c).GetPointIds()
        flat.InsertNextCell(vtk.VTK_TETRA, 4, [ids.GetId(k) for k in range(4)])
    return flat


def largest_error(data, points, order, scale):
    worst = 0.0
    for x, got in zip(points, probe(data, points)):
        for field in range(4):
            factor = scale * (P_SI if field == 3 else E_SI)
            worst = max(worst, abs(got[field] / factor - value(order, field, x)))
    return worst


def check_values(source, order, scale):
    points = [(random.random(), 0.5 * random.random(), random.random() - 0.5)
              for _ in range(POINTS)]
    data = servermanager.Fetch(source)
    worst = largest_error(data, points, order, scale)
    need(worst < TOLERANCE, "order %d: error %.2e at probed points" % (order, worst))
    if order > 1:  # would a reader that knows corners only have been noticed?
        flat = largest_error(linear_tets(data), points, order, scale)
        need(flat > 1000 * TOLERANCE, "order %d: corners alone give error %.2e" % (order, flat))


def check_picture(source, path):
    view = CreateView("RenderView")
    view.ViewSize = [500, 400]
    view.Background = [1, 1, 1]
    view.UseColorPaletteForBackground = 0
    view.OrientationAxesVisibility = 0
    display = Show(source, view)
    display.NonlinearSubdivisionLevel = 3
    ColorBy(display, ("POINTS", "E", "Magnitude"))
    view.CameraPosition = [2.6, 1.8, 2.2]
    view.CameraFocalPoint = [0.5, 0.25, 0.0]
    view.CameraViewUp = [0, 1, 0]
    ResetCamera(view)
    Render(view)
    SaveScreenshot(path, view)
    reader = servermanager.Fetch(PNGSeriesReader(FileNames=[path]))
    colours = reader.GetPointData().GetScalars()
    seen, painted = set(), 0
    for i in range(colours.GetNumberOfTuples()):
        colour = colours.GetTuple(i)[:3]
        if colour != (255.0, 255.0, 255.0):
            painted += 1
            seen.add(colour)
    share = painted / colours.GetNumberOfTuples()
    need(share > 0.1, "%s: only %.1f %% is painted" % (path, 100 * share))
    need(len(seen) > 100, "%s: only %d colours" % (path, len(seen)))
    Delete(view)


def check_order(folder, ranks, order):
    case = os.path.join(folder, "fields-order%d-np%d" % (order, ranks))
    source = OpenDataFile(os.path.join(case, "fields.hdf.series"))
    need(source is not None, "%s: ParaView has no reader for the list" % case)
    times = list(source.TimestepValues)
    need(len(times) == 2, "%s: %d times" % (case, len(times)))
    need(abs(times[1] - 0.75 / LIGHT) < 1e-20, "%s: times %r" % (case, times))
    for k in range(2):
        source.UpdatePipeline(times[k])
        GetAnimationScene().AnimationTime = times[k]
        info = source.GetDataInformation().DataInformation
        need(info.GetNumberOfCells() == 24, "%s: %d cells" % (case, info.GetNumberOfCells()))
        check_values(source, order, k + 1.0)
    cells = source.CellData
    need(all(cells.GetArray(name) is not None for name in ("material", "rank", "element")),
         "%s: cell data is missing" % case)
    need(cells["rank"].GetRange() == (0.0, ranks - 1.0), "%s: ranks" % case)
    if order in (1, 4):
        check_picture(source, os.path.join(case, "picture.png"))
    Delete(source)


def main():
    random.seed(1)
    for order in range(1, 11):
        check_order(sys.argv[1], int(sys.argv[2]), order)


main()
