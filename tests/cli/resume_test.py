"""clatter run --resume and --from: runs that were killed go on as if nothing had happened."""

import random
import shutil
import signal
import subprocess
import time
import unittest

import h5py

from program import CommandLineTest, ENDLESS, MODEL, PROGRAM, SOURCE_DIR, main


def datasets(directory, name="results.h5"):
    """All datasets of a run by name, as bytes."""
    found = {}
    with h5py.File(directory / name) as file:
        file.visititems(lambda name, item: found.__setitem__(name, item[...].tobytes())
                        if isinstance(item, h5py.Dataset) else None)
    return found


class ResumeTest(CommandLineTest):
    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, "run", *map(str, arguments)], cwd=self.directory,
                              capture_output=True, text=True)

    def check_kills(self, example, *changes, kills=2, seed=1):
        """Kills a run at random moments, more than once, and compares its results in the end with those of
        a run that was left alone."""
        arguments = ["--quiet", "--csv", "--set", "output.checkpoint_interval=0.01", "--set",
                     "output.contact_points=true", *changes]
        model = SOURCE_DIR / "examples" / example
        begin = time.monotonic()
        self.assertEqual(self.run_program(model, "--out", "whole", *arguments).returncode, 0)
        duration = time.monotonic() - begin
        expected = datasets(self.directory / "whole")
        dice = random.Random(seed)
        resumed = 0
        for _ in range(kills):
            shutil.rmtree(self.directory / "killed", ignore_errors=True)
            command = [PROGRAM, "run", str(model), "--out", "killed", *arguments]
            finished = False
            patience = 1.0  # grows, for a run needs some time to begin, and to go on
            while not finished:
                process = subprocess.Popen(command, cwd=self.directory)
                patience *= 1.2
                try:
                    process.wait(timeout=dice.uniform(0.05, 0.6) * patience * duration)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                self.assertIn(process.returncode, (0, -signal.SIGKILL))
                finished = process.returncode == 0
                if (self.directory / "killed" / "checkpoint").exists():
                    with h5py.File(self.directory / "killed" / "results.h5", swmr=True) as file:
                        self.assertGreater(len(file["time"]), 0)
                    command = [PROGRAM, "run", "--resume", "killed", "--quiet"]
                    resumed += 1
            self.assertEqual(datasets(self.directory / "killed"), expected)
            self.assertEqual(datasets(self.directory / "killed", "contacts.h5"),
                             datasets(self.directory / "whole", "contacts.h5"))
            for name in ("results.csv", "frames.pvd", "contacts.pvd"):
                self.assertEqual((self.directory / "killed" / name).read_bytes(),
                                 (self.directory / "whole" / name).read_bytes())
        self.assertGreater(resumed, 0)

    def test_killed_chain_goes_on(self):
        self.check_kills("smooth/chain.toml", "--set", "integrator.duration=0.4")

    def test_killed_impacts_go_on_with_the_coupled_scheme(self):
        self.check_kills("002/ball-in-corner.toml")

    def test_killed_boxes_go_on_with_moreaus_scheme(self):
        self.check_kills("stacks/boxes.toml", "--set", "integrator.name=moreau")

    def test_interrupted_run_goes_on_to_the_results_of_one_that_was_not(self):
        whole = self.run_program("model.toml", "--out", "whole", "--set", "integrator.duration=40", "--quiet")
        self.assertEqual(whole.returncode, 0)
        process = subprocess.Popen([PROGRAM, "run", "model.toml", "--out", "part", "--quiet", "--set",
                                    "integrator.duration=40"], cwd=self.directory)
        path = self.directory / "part" / "results.h5"
        while not path.exists():
            time.sleep(0.001)
        process.send_signal(signal.SIGTERM)
        self.assertIn(process.wait(timeout=30), (0, 130))
        self.assertEqual(self.run_program("--resume", "part", "--quiet").returncode, 0)
        self.assertEqual(datasets(self.directory / "part"), datasets(self.directory / "whole"))

    def test_finished_run_can_be_made_longer(self):
        self.run_program("model.toml", "--out", "part", "--quiet")
        more = self.run_program("--resume", "part", "--set", "integrator.duration=0.8")
        self.assertEqual(more.returncode, 0, more.stderr)
        self.run_program("model.toml", "--out", "whole", "--quiet", "--set", "integrator.duration=0.8")
        self.assertEqual(datasets(self.directory / "part")["bodies/ball/position"],
                         datasets(self.directory / "whole")["bodies/ball/position"])

    def test_only_the_end_can_be_changed(self):
        self.run_program("model.toml", "--out", "part", "--quiet")
        for extra in (["--set", "integrator.step=1e-4"], ["model.toml"], ["--csv"]):
            refused = self.run_program("--resume", "part", *extra)
            self.assertEqual(refused.returncode, 1, refused.stdout)
            self.assertIn("resume" if extra[0] != "--set" else "duration", refused.stderr)

    def test_directory_without_a_checkpoint_is_told(self):
        refused = self.run_program("--resume", "nowhere")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no checkpoint", refused.stderr)

    def test_second_run_into_a_directory_is_refused(self):
        self.write("endless.toml", ENDLESS)
        process = subprocess.Popen([PROGRAM, "run", "endless.toml", "--out", "taken", "--quiet"],
                                   cwd=self.directory)
        try:
            while not (self.directory / "taken" / "results.h5").exists():
                time.sleep(0.01)
            refused = self.run_program("model.toml", "--out", "taken")
            self.assertEqual(refused.returncode, 1)
            self.assertIn("another run", refused.stderr)
        finally:
            process.kill()
            process.wait()
        self.assertEqual(self.run_program("model.toml", "--out", "taken", "--quiet").returncode, 0)

    def test_results_can_be_read_while_they_are_written(self):
        self.write("endless.toml", ENDLESS)
        process = subprocess.Popen([PROGRAM, "run", "endless.toml", "--out", "live", "--quiet"],
                                   cwd=self.directory)
        try:
            path = self.directory / "live" / "results.h5"
            while not path.exists() or path.stat().st_size < 300000:
                time.sleep(0.01)
            with h5py.File(path, swmr=True) as file:
                rows = len(file["time"])
                self.assertGreater(rows, 0)
                self.assertEqual(len(file["bodies/ball/position"][:rows]), rows)
        finally:
            process.kill()
            process.wait()

    def test_another_model_starts_from_a_state(self):
        self.run_program("model.toml", "--out", "first", "--quiet")
        # Without the spring the ball flies on with the velocity it had: x = cos 10t, v = -10 sin 10t.
        free = MODEL[:MODEL.index("[[spring]]")] + MODEL[MODEL.index("[integrator]"):MODEL.index("[[verify]]")]
        self.write("free.toml", free)
        done = self.run_program("free.toml", "--out", "second", "--from", "first@0.3", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.directory / "first" / "results.h5") as file:
            row = 300
            self.assertAlmostEqual(file["time"][row], 0.3, places=12)
            x, v = file["bodies/ball/position"][row], file["bodies/ball/velocity"][row]
        with h5py.File(self.directory / "second" / "results.h5") as file:
            self.assertEqual(file["bodies/ball/position"][0].tobytes(), x.tobytes())
            self.assertAlmostEqual(file["bodies/ball/position"][-1, 0], (x + 0.5 * v)[0], places=12)
        refused = self.run_program("free.toml", "--out", "third", "--from", "first@7")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no sample near", refused.stderr)


if __name__ == "__main__":
    main()
