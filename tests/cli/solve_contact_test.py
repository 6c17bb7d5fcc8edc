"""clatter solve-contact: the table, JSON, exit status, and what is refused."""

import json

import h5py
import numpy

from program import CommandLineTest, main


def project_on_cone(y, mu):
    """The nearest point of |y_T| <= mu y_N."""
    length = numpy.linalg.norm(y[1:])
    if length <= mu * y[0]:
        return y
    height = (y[0] + mu * length) / (1 + mu * mu)
    if height <= 0:
        return 0 * y
    return height * numpy.concatenate([[1], mu * y[1:] / length])


class SolveContactTest(CommandLineTest):
    def write_problem(self, name, W, q, mu, dimension=3):
        """Compressed rows; W is dense here, and what is zero is left out."""
        indptr, indices, data = [0], [], []
        for row in numpy.asarray(W, dtype=float):
            columns = numpy.flatnonzero(row)
            indices.extend(columns)
            data.extend(row[columns])
            indptr.append(len(indices))
        with h5py.File(self.directory / name, "w") as file:
            file.attrs["dimension"] = dimension
            file["W/indptr"] = numpy.array(indptr, dtype=numpy.int32)
            file["W/indices"] = numpy.array(indices, dtype=numpy.int32)
            file["W/data"] = numpy.array(data)
            file["q"] = numpy.array(q, dtype=float)
            file["mu"] = numpy.array(mu, dtype=float)

    def setUp(self):
        super().setUp()
        # Two particles on the ground: one sticks, one slips against the edge of its cone.
        self.write_problem("two.h5", numpy.eye(6), [-2, 0.6, -0.8, -2, 3, -4], [0.5, 0.5])
        self.write_problem("plane.h5", numpy.eye(2), [-2, 3], [0.5], dimension=2)
        # Nothing moves, and yet it approaches.
        self.write_problem("stuck.h5", numpy.zeros((3, 3)), [-1, 0, 0], [0.5])

    def test_table_tells_what_was_solved_and_how_well(self):
        output, errors = self.run_program("solve-contact", "two.h5", "plane.h5")
        self.assertEqual(errors, "")
        lines = output.splitlines()
        self.assertRegex(lines[0], r"^problem +contacts +rows +solver +iterations +error")
        self.assertRegex(lines[1], r"^two +2 +6 +gauss-seidel +1 .* solved$")
        self.assertRegex(lines[2], r"^plane +1 +2 +gauss-seidel +1 .* solved$")
        self.assertEqual(lines[-1], "2 of 2 solved")

    def test_every_solver_finds_stick_and_slip(self):
        for solver in ["automatic", "newton", "fixed-point", "gauss-seidel", "regularised-newton"]:
            output, _ = self.run_program(
                "solve-contact", "two.h5", "--solver", solver, "--tolerance", "1e-10", "--json",
                "--reactions", "--repeat", "2")
            [problem] = json.loads(output)
            self.assertTrue(problem["solved"])
            self.assertEqual(problem["contacts"], 2)
            self.assertEqual(problem["rows"], 6)
            self.assertGreater(problem["time"], 0)
            if solver != "automatic":
                self.assertEqual(problem["solver"], solver)
            r = numpy.array(problem["reactions"])
            numpy.testing.assert_allclose(r, [2, -0.6, 0.8, 2, -0.6, 0.8], atol=1e-8)
            # The error is what its definition says.
            q = numpy.array([-2, 0.6, -0.8, -2, 3, -4])
            off = 0.0
            for contact in range(2):
                of_contact = slice(3 * contact, 3 * contact + 3)
                u = r[of_contact] + q[of_contact]
                u[0] += 0.5 * numpy.linalg.norm(u[1:])
                off += numpy.sum((r[of_contact] - project_on_cone(r[of_contact] - u, 0.5))**2)
            self.assertAlmostEqual(problem["error"], numpy.sqrt(off) / numpy.linalg.norm(q), delta=1e-15)

    def test_folders_are_solved_in_order(self):
        folder = self.directory / "problems"
        folder.mkdir()
        for name in ["b.h5", "a.h5"]:
            (self.directory / "two.h5").rename(folder / name)
            self.setUp_problem_again()
        (folder / "notes.txt").write_text("no problem")
        output, _ = self.run_program("solve-contact", "problems", "--json")
        self.assertEqual([problem["problem"] for problem in json.loads(output)], ["a", "b"])

    def setUp_problem_again(self):
        self.write_problem("two.h5", numpy.eye(6), [-2, 0.6, -0.8, -2, 3, -4], [0.5, 0.5])

    def test_open_contact_without_friction_or_slip_needs_no_reaction(self):
        self.write_problem("open.h5", numpy.eye(3), [1, 0, 0], [0])
        output, _ = self.run_program("solve-contact", "open.h5", "--json", "--reactions")
        [problem] = json.loads(output)
        self.assertTrue(problem["solved"])
        self.assertEqual(problem["reactions"], [0, 0, 0])
        self.assertEqual(problem["error"], 0)

    def test_verdict_does_not_depend_on_units(self):
        rng = numpy.random.default_rng(5)
        A = rng.uniform(-1, 1, (6, 9))
        for k, mass in enumerate([1e-9, 1, 1e9]):  # W in 1/kg, reactions in N s
            self.write_problem(f"unit{k}.h5", A @ A.T / mass, [-2, 0.6, -0.8, -2, 3, -4], [0.5, 0.5])
        output, _ = self.run_program("solve-contact", "unit0.h5", "unit1.h5", "unit2.h5", "--json")
        for problem in json.loads(output):
            self.assertTrue(problem["solved"])
            self.assertLessEqual(problem["scaled_error"], 1e-8)

    def test_problem_without_solution_is_told_and_fails(self):
        output, _ = self.run_program("solve-contact", "stuck.h5", "two.h5", expect=1)
        self.assertRegex(output, r"stuck .*NOT SOLVED\n")
        self.assertRegex(output, r"two .* solved\n")
        self.assertIn("1 of 2 solved", output)

    def test_damaged_file_is_named_and_does_not_keep_the_others_from_being_solved(self):
        (self.directory / "broken.h5").write_bytes((self.directory / "two.h5").read_bytes()[:500])
        output, errors = self.run_program("solve-contact", "broken.h5", "two.h5", "none.h5", expect=1)
        self.assertIn("1 of 1 solved", output)
        lines = errors.splitlines()
        self.assertEqual(len(lines), 2, errors)
        self.assertRegex(lines[0], "^clatter: broken.h5: .*HDF5")
        self.assertRegex(lines[1], "^clatter: none.h5: there is no such file$")

    def test_nonsense_is_refused(self):
        _, errors = self.run_program("solve-contact", expect=2)
        self.assertEqual(errors, "clatter: FILE is required\n")
        for option, value in [("--solver", "newtn"), ("--tolerance", "-1"), ("--repeat", "0"),
                              ("--max-iterations", "0")]:
            output, errors = self.run_program("solve-contact", "two.h5", option, value, expect=2)
            self.assertEqual(output, "")
            self.assertRegex(errors, rf"^clatter: {option}: .*{value} not in .*\n$")
        (self.directory / "empty").mkdir()
        _, errors = self.run_program("solve-contact", "empty", expect=1)
        self.assertEqual(errors, "clatter: empty: there are no .h5 files here\n")


main()
