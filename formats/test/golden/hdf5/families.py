"""One file tree per robot HDF5 family, as facts of the families' own writers say."""

import dataclasses
import json

import av
import h5py
import numpy as np

from pictures import draw, film, jpeg, numbers, padded, strings

VLEN = h5py.vlen_dtype(np.uint8)


@dataclasses.dataclass
class Episode:
    id: str
    action: np.ndarray
    state: np.ndarray | None = None
    task: str = ""
    success: bool | None = None


def result(layout, fps, episodes, cameras, rules, **more):
    return {"layout": layout, "fps": fps, "cameras": cameras, "rules": rules, **more, "episodes": episodes}


def robomimic(folder):
    episodes = []
    with h5py.File(folder / "low.hdf5", "w") as f:
        data = f.create_group("data")
        data.attrs["env_args"] = json.dumps({"env_name": "Lift", "type": 1, "env_kwargs": {"control_freq": 10}})
        data.attrs["total"] = 3 * 7
        for i in range(11):
            length = 2 + i % 3
            demo = data.create_group(f"demo_{i}")
            demo.attrs["num_samples"] = length
            demo.attrs["model_file"] = "<mujoco>" + "x" * 30_000 + "</mujoco>" if i == 0 else "<mujoco/>"
            parts = [numbers(i, length, w, w) for w in (3, 4, 2)]
            for name, values in zip(("robot0_eef_pos", "robot0_eef_quat", "robot0_gripper_qpos"), parts):
                demo[f"obs/{name}"] = values
                demo[f"next_obs/{name}"] = values
            demo["obs/object"] = numbers(i, length, 10)
            pixels = film(i, 0, length)
            demo.create_dataset("obs/agentview_image", data=pixels, compression="gzip")
            demo.create_dataset("next_obs/agentview_image", data=pixels, compression="gzip")
            demo["actions"] = numbers(i, length, 7)
            demo["rewards"] = np.zeros(length)
            demo["dones"] = np.zeros(length, np.int64)
            demo["states"] = numbers(i, length, 5)
            episodes.append(Episode(f"demo_{i}", demo["actions"][:], np.concatenate(parts, axis=1)))
        f["mask/train"] = np.array([f"demo_{i}" for i in range(9)] + ["demo_77"], "S7")
        f["mask/valid"] = np.array(["demo_9", "demo_10"], "S7")
        f["mask/20_percent_train"] = np.array(["demo_2", "demo_5"], "S7")
        f["mask/empty"] = np.array([], "S1")
    splits = [["20_percent_train", "train"] if i in (2, 5) else ["train"] for i in range(9)] + [["valid"]] * 2
    rules = {"stated": 1, "split-episodes-missing": 1, "split-empty": 1}
    return result("robomimic", 10, episodes, {"agentview": [64, 48]}, rules, splits=splits)


def libero(folder):
    episodes = []
    with h5py.File(folder / "task_demo.hdf5", "w") as f:
        data = f.create_group("data")
        data.attrs["env_args"] = json.dumps({"env_kwargs": {"control_freq": 20}})
        data.attrs["problem_info"] = json.dumps({"language_instruction": '"open the drawer"'})
        data.attrs["macros_image_convention"] = "opengl"
        for i in range(2):
            demo = data.create_group(f"demo_{i}")
            demo["obs/agentview_rgb"] = film(i, 0, 5)[:, ::-1]
            demo["obs/eye_in_hand_rgb"] = film(i, 1, 5)[:, ::-1]
            demo["obs/ee_states"], demo["obs/gripper_states"] = numbers(i, 5, 6), numbers(i, 5, 2)
            demo["actions"] = numbers(i, 5, 7)
            demo["dones"] = np.array([0, 0, 0, 0, 1], np.uint8)
            state = np.concatenate([demo["obs/ee_states"][:], demo["obs/gripper_states"][:]], axis=1)
            episodes.append(Episode(f"demo_{i}", demo["actions"][:], state, "open the drawer"))
    return result("robomimic", 20, episodes, {"agentview": [64, 48], "eye_in_hand": [64, 48]}, {"stated": 2})


def robocasa(folder):
    with h5py.File(folder / "demo.hdf5", "w") as f:
        demo = f.create_group("data/demo_4")
        demo.attrs["ep_meta"] = json.dumps({"lang": "close the microwave"})
        demo["obs/robot0_agentview_left_image"] = film(0, 0, 4)
        demo["actions"] = numbers(0, 4, 12)
        demo["actions_abs"] = numbers(0, 4, 12, 1)
        demo["datagen_info/eef_pose"] = numbers(0, 4, 16).reshape(4, 4, 4)
        episode = Episode("demo_4", demo["actions"][:], None, "close the microwave")
    cameras = {"robot0_agentview_left": [64, 48]}
    return result("robomimic", 20, [episode], cameras, {"assumed": 1}, columns=["source.actions_abs", "datagen_info.eef_pose"])


def robosuite_2018(folder):
    with h5py.File(folder / "demo.hdf5", "w") as f:
        data = f.create_group("data")
        data.attrs["env"] = "SawyerLift"
        demo = data.create_group("demo_1")
        demo.attrs["model_file"] = "model_1.xml"
        demo["joint_velocities"], demo["gripper_actuations"] = numbers(1, 6, 7), numbers(1, 6, 1)
        demo["left_dpos"], demo["right_dpos"] = np.zeros((6, 0)), numbers(1, 6, 3)
        demo["states"] = numbers(1, 6, 30)
        action = np.concatenate([demo["joint_velocities"][:], demo["gripper_actuations"][:]], axis=1)
    return result("robomimic", 20, [Episode("demo_1", action)], {}, {"assumed": 1, "array-left-out": 1})


def isaac_lab(folder):
    episodes = []
    with h5py.File(folder / "dataset.hdf5", "w") as f:
        data = f.create_group("data")
        simulation = {"dt": 0.01, "decimation": 5, "render_interval": 5, "num_envs": 1}
        data.attrs["env_args"] = json.dumps({"env_name": "Isaac-Stack", "type": 2, "sim_args": simulation})
        for i, success in ((0, True), (3, False)):
            demo = data.create_group(f"demo_{i}")
            demo.attrs["num_samples"], demo.attrs["success"] = 4, success
            demo.create_dataset("obs/table_cam", data=film(i, 0, 4), compression="gzip")
            demo["obs/table_cam_segmentation"] = np.zeros((4, 48, 64, 4), np.uint8)
            demo["obs/table_cam_normals"] = np.zeros((4, 48, 64, 3), np.float32)
            demo["obs/joint_pos"] = numbers(i, 4, 9, dtype=np.float32)
            demo["actions"] = numbers(i, 4, 7, dtype=np.float32)
            demo["initial_state/articulation/robot/joint_position"] = numbers(i, 1, 9)
            demo["states/articulation/robot/joint_position"] = numbers(i, 4, 9)
            episodes.append(Episode(f"demo_{i}", demo["actions"][:], demo["obs/joint_pos"][:], "", success))
    return result("isaac-lab", 20, episodes, {"table_cam": [64, 48]}, {"stated": 1, "array-left-out": 2})


def aloha(folder):
    episodes = []
    for i in (0, 1, 2, 10):
        with h5py.File(folder / f"episode_{i}.hdf5", "w") as f:
            f.attrs["sim"] = True
            f["action"] = numbers(i, 4, 14, dtype=np.float32)
            f["observations/qpos"], f["observations/qvel"] = numbers(i, 4, 14, 1, np.float32), numbers(i, 4, 14, 2, np.float32)
            for place, name in enumerate(("cam_high", "cam_low")):
                f.create_dataset(f"observations/images/{name}", data=film(i, place, 4), chunks=(1, 48, 64, 3))
            episodes.append(Episode(f"episode_{i}", f["action"][:], f["observations/qpos"][:]))
    return result("aloha", 50, episodes, {"cam_high": [64, 48], "cam_low": [64, 48]}, {"assumed": 1})


def mobile_aloha(folder):
    """compress_len rows in the recorder's order, which is not the alphabet's; one frame is damaged."""
    names = ("cam_high", "cam_low", "cam_left_wrist", "cam_right_wrist")
    with h5py.File(folder / "episode_3.hdf5", "w") as f:
        f.attrs["sim"], f.attrs["compress"] = False, True
        f["action"], f["observations/qpos"] = numbers(3, 24, 14), numbers(3, 24, 14, 1)
        f["base_action"] = numbers(3, 24, 2)
        lengths = []
        for place, name in enumerate(names):
            rows, length = padded(film(3, place, 24), swapped=True, width=4000)
            if name == "cam_low":
                rows[5] = 0
            f.create_dataset(f"observations/images/{name}", data=rows, chunks=(1, 4000), compression="gzip")
            lengths.append(length)
        f["compress_len"] = np.stack(lengths).astype(np.float32)
        episode = Episode("episode_3", f["action"][:], f["observations/qpos"][:])
    cameras = {name: [64, 48] for name in sorted(names)}
    return result("aloha", 50, [episode], cameras, {"assumed": 2, "picture-repeated": 1}, repeated={"cam_low": [5]})


def unitree(folder):
    """libver latest, a text per step."""
    with h5py.File(folder / "episode_0.hdf5", "w", libver="latest") as f:
        f["action"], f["observations/qpos"] = numbers(0, 4, 16), numbers(0, 4, 16, 1)
        f.create_dataset("observations/images/cam_left_high", data=film(0, 0, 4), chunks=(1, 48, 64, 3), compression="gzip")
        f.create_dataset("language_raw", data=["fold the towel"] * 4, dtype=h5py.string_dtype())
        episode = Episode("episode_0", f["action"][:], f["observations/qpos"][:], "fold the towel")
    return result("aloha", 50, [episode], {"cam_left_high": [64, 48]}, {"assumed": 1, "array-left-out": 1})


def rdt(folder):
    with h5py.File(folder / "episode_0.hdf5", "w") as f:
        f["action"], f["observations/qpos"] = numbers(0, 4, 14), numbers(0, 4, 14, 1)
        f["observations/images/cam_high"] = strings(film(0, 0, 4), swapped=True)
        f["instruction"] = "stack the bowls"
        episode = Episode("episode_0", f["action"][:], f["observations/qpos"][:], "stack the bowls")
    return result("aloha", 50, [episode], {"cam_high": [64, 48]}, {"assumed": 2})


def ph2d(folder):
    with h5py.File(folder / "processed_episode_0.hdf5", "w") as f:
        f.attrs["description"], f.attrs["embodiment"] = "grasp the bottle", "h1_inspire"
        f["observation.state"], f["action"] = numbers(0, 5, 26, 1, np.float32), numbers(0, 5, 26, dtype=np.float32)
        f["observation.image.left"] = padded(film(0, 0, 5))[0]
        episode = Episode("processed_episode_0", f["action"][:], f["observation.state"][:], "grasp the bottle")
    return result("ph2d", 30, [episode], {"left": [64, 48]}, {"assumed": 1})


def television(folder):
    with h5py.File(folder / "processed_episode_0.hdf5", "w") as f:
        f["observation.state"], f["qpos_action"] = numbers(0, 5, 26, 1, np.float32), numbers(0, 5, 26, dtype=np.float32)
        f["observation.image.left"] = film(0, 0, 5).transpose(0, 3, 1, 2)
        episode = Episode("processed_episode_0", f["qpos_action"][:], f["observation.state"][:])
    return result("ph2d", 30, [episode], {"left": [64, 48]}, {"assumed": 1})


def robomind(folder):
    """An embodiment of swapped colours; one frame was stored raw because its encoding failed."""
    place = folder / "h5_agilex_3rgb/10_packplate/success_episodes/val/0925_173541/data"
    place.mkdir(parents=True)
    with h5py.File(place / "trajectory.hdf5", "w") as f:
        f.attrs["sim"], f.attrs["compress"] = False, True
        for side in ("left", "right"):
            f[f"puppet/joint_position_{side}"] = numbers(0, 6, 7, 1)
            f[f"master/joint_position_{side}"] = numbers(0, 6, 7)
        frames = f.create_dataset("observations/rgb_images/camera_front", (6,), dtype=VLEN)
        for i in range(6):
            picture = draw(0, 0, i)
            frames[i] = picture.reshape(-1) if i == 2 else np.frombuffer(jpeg(picture, swapped=True), np.uint8)
        state = np.concatenate([f["puppet/joint_position_left"][:], f["puppet/joint_position_right"][:]], axis=1)
        action = np.concatenate([f["master/joint_position_left"][:], f["master/joint_position_right"][:]], axis=1)
    episode = Episode("0925_173541", action, state, "10 packplate", True)
    return result("robomind", 30, [episode], {"camera_front": [64, 48]}, {"assumed": 2}, splits=[["val"]])


def robotwin(folder):
    (folder / "data").mkdir()
    (folder / "instructions").mkdir()
    (folder / "instructions/episode0.json").write_text(json.dumps({"seen": ["hit the block"], "unseen": ["beat it"]}))
    with h5py.File(folder / "data/episode0.hdf5", "w") as f:
        vector = numbers(0, 7, 14)
        f["joint_action/vector"] = vector
        f["joint_action/left_arm"] = vector[:, :6]
        f["observation/head_camera/rgb"] = strings(film(0, 0, 7), swapped=True)
        f["observation/head_camera/intrinsic_cv"] = np.zeros((7, 3, 3), np.float32)
        f["pointcloud"] = np.zeros((7, 0))
    episode = Episode("episode0", vector[1:], vector[:-1], "hit the block")
    rules = {"assumed": 1, "stated": 1, "array-left-out": 1}
    return result("robotwin", 15, [episode], {"head_camera": [64, 48]}, rules)


def xpolicylab(folder):
    with h5py.File(folder / "episode_0000000.hdf5", "w") as f:
        f["additional_info/frequency"] = np.int32(25)
        f.create_dataset("instructions", data=json.dumps(["pick it", "take it"]), dtype=h5py.string_dtype())
        for i, name in enumerate(("left_arm", "left_ee", "right_arm", "right_ee")):
            width = 6 if "arm" in name else 1
            f[f"state/{name}_joint_states"] = numbers(0, 5, width, i, np.float32)
            f[f"action/{name}_joint_states"] = numbers(0, 5, width, i + 1, np.float32)
        f["vision/cam_head/colors"] = strings(film(0, 0, 5), swapped=True)
        f["vision/cam_head/shape"] = np.array([48, 64, 3], np.int32)
        join = lambda group: np.concatenate([f[f"{group}/{n}_joint_states"][:] for n in ("left_arm", "left_ee", "right_arm", "right_ee")], axis=1)  # noqa: E731, E501
        episode = Episode("episode_0000000", join("action"), join("state"), "pick it")
    return result("robotwin", 25, [episode], {"cam_head": [64, 48]}, {"stated": 2})


def d4rl(folder):
    with h5py.File(folder / "hopper.hdf5", "w") as f:
        observations, actions = numbers(0, 20, 11, dtype=np.float32), numbers(0, 20, 3, 1, np.float32)
        ends = {"terminals": np.zeros(20, bool), "timeouts": np.zeros(20, bool)}
        ends["terminals"][6] = ends["timeouts"][11] = True
        for name, values in {"observations": observations, "actions": actions, "rewards": np.zeros(20, np.float32), **ends}.items():
            f.create_dataset(name, data=values, compression="gzip")
        f["metadata/policy/fc0/weight"] = np.zeros((32, 39), np.float32)
        f["metadata/algorithm"] = np.bytes_("SAC")
    cuts = [(0, 7), (7, 12), (12, 20)]
    episodes = [Episode(str(i), actions[a:b], observations[a:b]) for i, (a, b) in enumerate(cuts)]
    return result("d4rl", 20, episodes, {}, {"assumed": 1})


def minari(folder):
    episodes = []
    with h5py.File(folder / "main_data.hdf5", "w") as f:
        for i, length in enumerate((5, 3)):
            group = f.create_group(f"episode_{i}")
            group.attrs["id"], group.attrs["total_steps"] = i, length
            group["observations/state"] = numbers(i, length + 1, 4)
            frames = group.create_dataset("observations/pixels", (length + 1,), dtype=VLEN)
            for k in range(length + 1):
                frames[k] = np.frombuffer(jpeg(draw(i, 0, k)), np.uint8)
            group["actions"] = numbers(i, length, 2, dtype=np.float32)
            group["rewards"], group["terminations"] = np.zeros(length), np.zeros(length, bool)
            group["truncations"] = np.zeros(length, bool)
            group.create_group("infos")
            episodes.append(Episode(f"episode_{i}", group["actions"][:], group["observations/state"][:-1]))
    (folder / "metadata.json").write_text(json.dumps({"dataset_id": "test/pixels-v0", "total_episodes": 2}))
    return result("minari", 20, episodes, {"pixels": [64, 48]}, {"assumed": 1, "array-length-differs": 1})


def maniskill(folder):
    episodes = []
    with h5py.File(folder / "trajectory.h5", "w") as f:
        for i, length in ((0, 4), (2, 3), (10, 5)):
            group = f.create_group(f"traj_{i}", track_order=True)
            group["actions"] = numbers(i, length, 7, dtype=np.float32)
            group["obs/agent/qpos"] = numbers(i, length + 1, 9, dtype=np.float32)
            group.create_dataset("obs/sensor_data/base_camera/rgb", data=film(i, 0, length + 1), compression="gzip")
            group["obs/sensor_data/base_camera/depth"] = np.zeros((length + 1, 48, 64, 1), np.int16)
            group["env_states/actors/cube"] = numbers(i, length + 1, 13, dtype=np.float32)
            group["success"] = np.arange(length) == length - 1 if i != 2 else np.zeros(length, bool)
            group["terminated"] = group["truncated"] = np.zeros(length, bool)
            episodes.append(Episode(f"traj_{i}", group["actions"][:], group["obs/agent/qpos"][:-1], "", i != 2))
    outcome = [{"episode_id": i, "success": i != 2} for i in (0, 2, 10)]
    environment = {"env_id": "PickCube-v1", "env_kwargs": {"sim_config": {"control_freq": 40}}}
    (folder / "trajectory.json").write_text(json.dumps({"env_info": environment, "episodes": outcome}))
    return result("maniskill", 40, episodes, {"base_camera": [64, 48]}, {"stated": 1, "array-length-differs": 1})


def droid(folder):
    """Two steps before the operator took over, a wrist video beside, times in ms."""
    with h5py.File(folder / "trajectory.h5", "w") as f:
        f.attrs["current_task"], f.attrs["success"] = "put the marker in the mug", True
        def grow(name, values):
            f.create_dataset(name, data=values, maxshape=(None, *values.shape[1:]), chunks=(1, *values.shape[1:]))
        grow("action/joint_position", numbers(0, 12, 7))
        grow("action/gripper_position", numbers(0, 12, 1)[:, 0])
        grow("action/cartesian_velocity", numbers(0, 12, 6))
        grow("observation/robot_state/joint_positions", numbers(0, 12, 7, 1))
        grow("observation/robot_state/gripper_position", numbers(0, 12, 1, 1)[:, 0])
        grow("observation/timestamp/control/step_start", (1_700_000_000_000 + np.arange(12) * 1000 / 15).astype(np.int64))
        grow("observation/timestamp/skip_action", np.arange(12) < 2)
        grow("observation/camera_type/18026681", np.zeros(12, np.int64))
        action = np.concatenate([f["action/joint_position"][2:], f["action/gripper_position"][2:][:, None]], axis=1)
        state = np.concatenate(
            [f["observation/robot_state/joint_positions"][2:], f["observation/robot_state/gripper_position"][2:][:, None]], axis=1
        )
    (folder / "recordings/MP4").mkdir(parents=True)
    write_mp4(folder / "recordings/MP4/18026681.mp4", film(0, 0, 12), 15)
    episode = Episode("trajectory", action, state, "put the marker in the mug", True)
    return result("droid", 15, [episode], {"wrist_18026681": [64, 48]}, {"stated": 2}, packets={"wrist_18026681": 2})


def write_mp4(path, pictures, fps):
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=fps, options={"g": "2", "bf": "0", "crf": "10"})
        stream.width, stream.height, stream.pix_fmt = pictures.shape[2], pictures.shape[1], "yuv420p"
        for picture in pictures:
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        out.mux(stream.encode())


def agilex_paths(folder):
    """Pictures beside the file; one path leads out of the upload and is never read."""
    with h5py.File(folder / "data.hdf5", "w") as f:
        f["arm/jointStatePosition/masterLeft"], f["arm/jointStatePosition/puppetLeft"] = numbers(0, 24, 7), numbers(0, 24, 7, 1)
        f["timestamp"] = 1.7e9 + np.arange(24) / 30
        f["size"], f["instruction"] = 24, "instructions.npy"
        (folder / "camera/color/front").mkdir(parents=True)
        paths = []
        for i in range(24):
            paths.append(f"camera/color/front/{i}.jpg" if i != 7 else "../../../../../secret.jpg")
            (folder / f"camera/color/front/{i}.jpg").write_bytes(jpeg(draw(0, 0, i)))
        f.create_dataset("camera/color/front", data=paths, dtype=h5py.string_dtype())
        episode = Episode("source", f["arm/jointStatePosition/masterLeft"][:], f["arm/jointStatePosition/puppetLeft"][:])
    rules = {"stated": 1, "picture-repeated": 1}
    return result("agilex", 30, [dataclasses.replace(episode, id="data")], {"front": [64, 48]}, rules, repeated={"front": [7]})


def agilex_pixels(folder):
    with h5py.File(folder / "episode1.hdf5", "w") as f:
        f["arm/jointStatePosition/masterLeft"], f["arm/jointStatePosition/puppetLeft"] = numbers(0, 5, 7), numbers(0, 5, 7, 1)
        f["timestamp"] = 1.7e9 + np.arange(5) / 30
        f["camera/color/front"] = film(0, 0, 5)[..., ::-1]
        f["camera/depth/front"] = np.zeros((5, 48, 64), np.uint16)
        f["instruction"] = "put the cup away"
        episode = Episode("episode1", f["arm/jointStatePosition/masterLeft"][:], f["arm/jointStatePosition/puppetLeft"][:], "put the cup away")
    return result("agilex", 30, [episode], {"front": [64, 48]}, {"stated": 1, "assumed": 1})


def robonet(folder):
    write_mp4(folder / "video.mp4", film(0, 0, 7), 10)
    video = np.frombuffer((folder / "video.mp4").read_bytes(), np.uint8)
    (folder / "video.mp4").unlink()
    with h5py.File(folder / "sawyer_traj0.hdf5", "w") as f:
        f.create_group("env").attrs["cam_encoding"] = "mp4"
        f["env/cam0_video/frames"] = video
        f["env/cam0_video/frames"].attrs["T"] = 7
        f["env/state"], f["policy/actions"] = numbers(0, 7, 5), numbers(0, 6, 4)
        f.create_group("metadata").attrs["robot"] = "sawyer"
        f["misc/traj_ok"] = True
        episode = Episode("sawyer_traj0", f["policy/actions"][:], f["env/state"][:-1])
    rules = {"stated": 1, "array-length-differs": 1}
    return result("robonet", 10, [episode], {"cam0": [64, 48]}, rules, packets={"cam0": 0})


def robohive(folder):
    episodes = []
    with h5py.File(folder / "set.h5", "w") as f:
        for i in range(2):
            data = {"ctrl_arm": numbers(i, 5, 7), "ctrl_ee": numbers(i, 5, 1), "qp_arm": numbers(i, 5, 7, 1), "qp_ee": numbers(i, 5, 1, 1)}
            for name, values in data.items():
                data[name] = values.astype(np.float16)
                f.create_dataset(f"Trial{i}/data/{name}", data=data[name], compression="gzip")
            f.create_dataset(f"Trial{i}/data/rgb_left", data=film(i, 0, 5), compression="gzip")
            f.create_dataset(f"Trial{i}/data/d_left", data=np.zeros((5, 48, 64, 1), np.float16), compression="gzip")
            f[f"Trial{i}/data/time"] = (np.arange(5) * 0.1).astype(np.float16)
            f[f"Trial{i}/config/solved"] = np.array([1 - i], np.float16)
            action = np.concatenate([data["ctrl_arm"], data["ctrl_ee"]], axis=1)
            state = np.concatenate([data["qp_arm"], data["qp_ee"]], axis=1)
            episodes.append(Episode(f"Trial{i}", action, state, "", i == 0))
    return result("robohive", 10, episodes, {"left": [64, 48]}, {"stated": 1})


def generic(folder):
    """No known family; the clock jitters."""
    with h5py.File(folder / "run.h5", "w") as f:
        f["arm_q"], f["cmd_vel"] = numbers(0, 12, 6, 1, np.float32), numbers(0, 12, 6, dtype=np.float32)
        f["times"] = np.cumsum(np.where(np.arange(12) == 8, 0.4, 0.05))
        f["calib/hand_eye"] = np.eye(4)
        f.create_dataset("sensors/overhead", data=film(0, 0, 12), compression="gzip")
        episode = Episode("run", f["cmd_vel"][:], f["arm_q"][:])
    rules = {"assumed": 1, "stated": 1, "array-left-out": 1, "timestamps-irregular": 1}
    return result("generic-hdf5", 20, [episode], {"overhead": [64, 48]}, rules, columns=["observation.source_timestamp"])


CASES = {
    "robomimic": robomimic,
    "libero": libero,
    "robocasa": robocasa,
    "robosuite-2018": robosuite_2018,
    "isaac-lab": isaac_lab,
    "aloha": aloha,
    "mobile-aloha": mobile_aloha,
    "unitree": unitree,
    "rdt": rdt,
    "ph2d": ph2d,
    "television": television,
    "robomind": robomind,
    "robotwin": robotwin,
    "xpolicylab": xpolicylab,
    "d4rl": d4rl,
    "minari": minari,
    "maniskill": maniskill,
    "droid": droid,
    "agilex-paths": agilex_paths,
    "agilex-pixels": agilex_pixels,
    "robonet": robonet,
    "robohive": robohive,
    "generic": generic,
}
