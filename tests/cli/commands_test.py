"""check, converge, compare, dumped contact problems, verify, schema, help, and wrong command lines."""

import json
import subprocess

import h5py

from program import CommandLineTest, MODEL, PROGRAM, SOURCE_DIR, main


class CheckTest(CommandLineTest):
    def test_good_model_is_counted(self):
        output, errors = self.run_program("check", "model.toml")
        self.assertEqual(output, "model.toml is fine: 1 body, 1 spring, 3 degrees of freedom\n")
        self.assertEqual(errors, "")

    def test_all_mistakes_have_a_place(self):
        self.write("model.toml", MODEL.replace("mass = 1", "mas = 1").replace("step =", "stp ="))
        output, errors = self.run_program("check", "model.toml", expect=1)
        self.assertEqual(output, "")
        lines = errors.splitlines()
        self.assertGreaterEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r"^model\.toml:\d+:\d+: ")
        self.assertIn("'mas'", errors)
        self.assertIn("'stp'", errors)

    def test_unknown_quantity_in_verify_is_a_mistake(self):
        self.write("model.toml", MODEL.replace("ball/position/x", "bal/position/x"))
        _, errors = self.run_program("check", "model.toml", expect=1)
        self.assertRegex(errors, r"^model\.toml:\d+:\d+: .*did you mean 'bodies/ball/position/x'")

    def test_missing_file(self):
        _, errors = self.run_program("check", "none.toml", expect=1)
        self.assertIn("none.toml", errors)

    def test_bad_override(self):
        _, errors = self.run_program("check", "model.toml", "--set", "integrator.stp=1", expect=1)
        self.assertIn("did you mean 'step'", errors)


class ConvergeTest(CommandLineTest):
    def test_finds_second_order(self):
        output, _ = self.run_program("converge", "model.toml", "--steps", "4e-3,2e-3,1e-3", "--json",
                                     "--set", "integrator.duration=0.4")
        study = json.loads(output)
        self.assertEqual(study["steps"], [4e-3, 2e-3, 1e-3])
        self.assertEqual(study["reference_step"], 2.5e-4)
        self.assertAlmostEqual(study["positions"]["order"], 2, delta=0.15)
        self.assertAlmostEqual(study["velocities"]["order"], 2, delta=0.15)

    def test_table_has_a_line_per_step(self):
        output, _ = self.run_program("converge", "model.toml", "--halvings", "2")
        self.assertIn("order of positions 2.", output)
        self.assertEqual(len(output.splitlines()), 1 + 3 + 2)

    def test_steps_that_do_not_divide_are_refused(self):
        _, errors = self.run_program("converge", "model.toml", "--steps", "1e-2,3e-3", expect=1)
        self.assertIn("does not divide", errors)


class CompareTest(CommandLineTest):
    def test_all_integrators_in_one_table(self):
        output, _ = self.run_program("compare", "model.toml", "--halvings", "2", "--json")
        trials = {trial["integrator"]: trial for trial in json.loads(output)}
        self.assertEqual(list(trials), ["nsga", "nsga_coupled", "moreau"])
        for trial in trials.values():  # a mass on a spring: the trapezoidal rule is of second order
            self.assertAlmostEqual(trial["positions"]["order"], 2, delta=0.15)
            self.assertEqual(trial["steps"], 500)

    def test_only_those_asked_for_and_no_study(self):
        output, _ = self.run_program("compare", "model.toml", "--integrators", "moreau,nsga",
                                     "--halvings", "0")
        self.assertEqual([line.split()[0] for line in output.splitlines()],
                         ["integrator", "moreau", "nsga"])

    def test_unknown_integrator_is_a_wrong_command_line(self):
        self.run_program("compare", "model.toml", "--integrators", "rk4", expect=2)

    def test_failing_run_is_told_and_the_others_go_on(self):
        text = (SOURCE_DIR / "docs/models/reach.toml").read_text()
        self.write("reach.toml", text)
        output, _ = self.run_program("compare", "reach.toml", "--halvings", "0", expect=1)
        self.assertIn("nsga: reach.toml: the step from", output)


class DumpTest(CommandLineTest):
    BALL = """\
gravity = [0, 0, -10]
[[body]]
name = "ball"
kind = "point"
mass = 2
velocity = [1, 0, 0]
[[contact]]
name = "floor"
point = { body = "ball" }
face = { normal = [0, 0, 1] }
friction = 0.3
[integrator]
step = 1e-2
duration = 0.05
"""

    def test_problem_of_each_step_is_written_and_can_be_solved(self):
        self.write("ball.toml", self.BALL)
        for settings in [["name=nsga"], ["name=moreau"], ["name=nsga", "contact_solver=newton"],
                         ["name=moreau", "contact_solver=automatic"]]:
            arguments = [word for each in settings for word in ("--set", "integrator." + each)]
            self.run_program("run", "ball.toml", "--dump-contact-problems", "--quiet", *arguments)
            files = sorted((self.directory / "ball.clatter/contact-problems").iterdir())
            self.assertEqual(len(files), 5)
            output, _ = self.run_program("solve-contact", "ball.clatter/contact-problems")
            self.assertIn("5 of 5 solved", output)
            with h5py.File(files[0]) as file:  # W = 1/m, falls by g h, slides by 1 m/s
                self.assertEqual(file.attrs["dimension"], 3)
                self.assertEqual(list(file["mu"]), [0.3])
                for entry, value in zip(sorted(abs(file["q"][:])), [0, 0.1, 1]):
                    self.assertAlmostEqual(entry, value, delta=1e-12)
                for entry in file["W/data"][:]:
                    self.assertIn(round(entry, 12), [0, 0.5])

    def test_coupled_scheme_has_none(self):
        self.write("ball.toml", self.BALL.replace("[integrator]", '[integrator]\nname = "nsga_coupled"'))
        _, errors = self.run_program("run", "ball.toml", "--dump-contact-problems", expect=1)
        self.assertIn("has no contact problem of its own", errors)
        self.assertFalse((self.directory / "ball.clatter").exists())


class VerifyTest(CommandLineTest):
    KEYS = ["source", "example", "quantity", "measured", "oracle", "oracle_kind", "tolerance", "pass", "model"]

    def test_passes_with_json(self):
        output, errors = self.run_program("verify", "model.toml", "--json")
        entries = json.loads(output)
        self.assertEqual([list(entry) for entry in entries], [self.KEYS])
        self.assertTrue(entries[0]["pass"])
        self.assertAlmostEqual(entries[0]["measured"], entries[0]["oracle"], delta=1e-3)
        self.assertEqual(errors, "")

    def test_fails_with_status_one(self):
        self.write("model.toml", MODEL.replace('"cos(5)"', "0.5"))
        output, _ = self.run_program("verify", "model.toml", expect=1)
        self.assertIn("FAIL", output)
        self.assertIn("0 of 1 pass", output)

    def test_overrides_of_entries_are_runs_of_their_own(self):
        self.write("model.toml", MODEL + """
[[verify]]
source = "test"
example = "oscillator"
quantity = "bodies/ball/position/x"
oracle = "cos(1)"
oracle_kind = "closed form"
tolerance = 1e-3
set = ["integrator.duration=0.1"]
""")
        output, _ = self.run_program("verify", "model.toml")
        self.assertIn("2 of 2 pass", output)

    def test_examples_are_found_by_name(self):
        (self.directory / "examples/spring").mkdir(parents=True)
        self.write("examples/spring/oscillator.toml", MODEL)
        self.write("examples/plain.toml", MODEL[:MODEL.index("[[verify]]")])
        for names in [[], ["oscillator"], ["spring"], ["spring/oscillator"]]:
            output, _ = self.run_program("verify", *names, "--examples", "examples")
            self.assertIn("1 of 1 pass", output)
        output, _ = self.run_program("verify", "--list", "--examples", "examples")
        self.assertIn("oscillator.toml", output)
        self.assertNotIn("plain.toml", output)
        _, errors = self.run_program("verify", "oscilator", "--examples", "examples", expect=1)
        self.assertIn("did you mean 'oscillator'", errors)


class UsageTest(CommandLineTest):
    def test_help_has_examples_for_each_command(self):
        output, _ = self.run_program("--help")
        for command in ["run", "check", "static", "modes", "converge", "compare", "solve-contact",
                        "verify", "schema"]:
            self.assertIn(command, output)
            text, _ = self.run_program(command, "--help")
            self.assertIn("clatter " + command, text)
            self.assertIn("Example", text)

    def test_version(self):
        output, _ = self.run_program("--version")
        self.assertRegex(output, r"^clatter \d+\.\d+\.\d+\n$")

    def test_unknown_command_names_the_nearest(self):
        _, errors = self.run_program("rnu", "model.toml", expect=2)
        self.assertIn("did you mean 'run'", errors)

    def test_wrong_command_lines_have_status_two(self):
        for arguments in [[], ["run"], ["run", "--nonsense", "model.toml"],
                          ["run", "model.toml", "extra"], ["converge", "model.toml", "--steps", "x"],
                          ["--nonsense"]]:
            self.run_program(*arguments, expect=2)

    def test_schema_is_json(self):
        output, _ = self.run_program("schema")
        self.assertEqual(json.loads(output)["type"], "object")

    def test_result_that_cannot_be_printed_is_an_error(self):
        with open("/dev/full", "w") as full:
            process = subprocess.run([PROGRAM, "schema"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(process.returncode, 1)


main()
