// The machine in three dimensions, or in its plane, as it stands in a frame of a run.
import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, Camera, Color, ConeGeometry, DirectionalLight,
  DoubleSide, HemisphereLight, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial,
  OctahedronGeometry, OrthographicCamera, PerspectiveCamera, Plane, Quaternion, Raycaster, Scene, ShapeUtils,
  SphereGeometry, TetrahedronGeometry, Vector2, Vector3, WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import type {Frame, MeshData, Part, Run, SceneData, Series} from './data';
import {bodyColours, statusColours, theme} from './colours';

export interface Shown {
  contacts: boolean;
  forces: boolean;
  velocities: boolean;
  trails: boolean;
  links: boolean;
  faces: boolean;
  follow: boolean;
  beamQuantity: string;
  section: 'none' | 'x' | 'y' | 'z';
  sectionAt: number;   // 0 to 1 of the extent
  arrowSize: number;
}

export type Picked = {kind: 'body' | 'beam' | 'contact'; name: string};
export type Preset = 'iso' | 'front' | 'side' | 'top';

const crowd = 5000;          // bodies from which spheres are drawn coarser
const creaseCosine = 0.77;   // of edges that look sharp

interface Instances {
  mesh: InstancedMesh;
  movers: number[];
  bodies: number[];
  parts: Part[];
}

/// Points of a section, two rings for every element.
interface BeamMesh {
  name: string;
  mesh: Mesh;
  around: number;
  elements: number;
  first: number;
  outline: number[];
  frames: Quaternion[];
}

function triangles(mesh: MeshData): number[][] {
  const list: number[][] = [];
  const at = (i: number) => new Vector3(mesh.points[3 * i], mesh.points[3 * i + 1], mesh.points[3 * i + 2]);
  for (const polygon of mesh.polygons) {
    if (polygon.length < 3) continue;
    if (polygon.length === 3) { list.push(polygon); continue; }
    // Newell's normal holds for polygons that are not convex, too.
    const normal = new Vector3();
    polygon.forEach((p, i) => normal.add(at(p).cross(at(polygon[(i + 1) % polygon.length]))));
    normal.normalize();
    const u = new Vector3(1, 0, 0);
    if (Math.abs(normal.x) > 0.9) u.set(0, 1, 0);
    u.cross(normal).normalize();
    const v = normal.clone().cross(u);
    const flat = polygon.map(p => new Vector2(at(p).dot(u), at(p).dot(v)));
    for (const face of ShapeUtils.triangulateShape(flat, [])) list.push(face.map(i => polygon[i]));
  }
  return list;
}

function geometryOf(mesh: MeshData, flatten: number | null): BufferGeometry {
  const size = mesh.points.length / 3;
  const faces = triangles(mesh).filter(face => face.every(i => i >= 0 && i < size));
  const corner = (i: number) => new Vector3(mesh.points[3 * i], mesh.points[3 * i + 1],
      flatten === null ? mesh.points[3 * i + 2] : Math.sign(mesh.points[3 * i + 2]) * flatten);
  const normals = faces.map(([a, b, c]) => {
    const n = corner(b).sub(corner(a)).cross(corner(c).sub(corner(a)));
    return n.normalize();
  });
  const around: number[][] = Array.from({length: size}, () => []);
  faces.forEach((face, f) => face.forEach(i => around[i].push(f)));
  const position = new Float32Array(9 * faces.length), normal = new Float32Array(9 * faces.length);
  faces.forEach((face, f) => face.forEach((i, k) => {
    const sum = new Vector3();
    for (const other of around[i]) if (normals[other].dot(normals[f]) > creaseCosine) sum.add(normals[other]);
    corner(i).toArray(position, 9 * f + 3 * k);
    sum.normalize().toArray(normal, 9 * f + 3 * k);
  }));
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  return geometry;
}

function edgesOf(mesh: MeshData): BufferGeometry {
  const points: number[] = [];
  const add = (i: number) => points.push(mesh.points[3 * i], mesh.points[3 * i + 1], mesh.points[3 * i + 2]);
  for (const polygon of mesh.polygons) polygon.forEach((p, i) => { add(p); add(polygon[(i + 1) % polygon.length]); });
  for (const line of mesh.lines ?? []) for (let i = 1; i < line.length; ++i) { add(line[i - 1]); add(line[i]); }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
  return geometry;
}

/// A ball with patches, so that it is seen to turn.
function ball(detail: number): BufferGeometry {
  const geometry = new SphereGeometry(1, detail, detail / 2).toNonIndexed();
  const position = geometry.getAttribute('position');
  const colours = new Float32Array(3 * position.count);
  for (let i = 0; i < position.count; i += 3) {
    const centre = new Vector3();
    for (let k = 0; k < 3; ++k) centre.add(new Vector3().fromBufferAttribute(position, i + k));
    const shade = centre.x * centre.y * centre.z > 0 ? 0.72 : 1;
    colours.fill(shade, 3 * i, 3 * i + 9);
  }
  geometry.setAttribute('color', new BufferAttribute(colours, 3));
  return geometry;
}

/// Shafts as lines, heads as cones.
class Arrows {
  private lines: LineSegments;
  private heads: InstancedMesh;
  private count = 0;
  constructor(scene: Scene, private room: number) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * room), 3));
    geometry.setAttribute('color', new BufferAttribute(new Float32Array(6 * room), 3));
    this.lines = new LineSegments(geometry, new LineBasicMaterial({vertexColors: true, depthTest: false}));
    this.heads = new InstancedMesh(new ConeGeometry(0.3, 1, 10).translate(0, -0.5, 0),
        new MeshLambertMaterial({depthTest: false}), room);
    for (const object of [this.lines, this.heads]) {
      object.frustumCulled = false;
      object.renderOrder = 3;
      scene.add(object);
    }
  }
  begin() { this.count = 0; }
  add(from: Vector3, way: Vector3, colour: Color, head: number) {
    const length = way.length();
    if (this.count >= this.room || !(length > 0.3 * head)) return;
    const to = from.clone().add(way), i = this.count++;
    const position = this.lines.geometry.getAttribute('position') as BufferAttribute;
    const colours = this.lines.geometry.getAttribute('color') as BufferAttribute;
    position.setXYZ(2 * i, from.x, from.y, from.z);
    position.setXYZ(2 * i + 1, to.x, to.y, to.z);
    colours.setXYZ(2 * i, colour.r, colour.g, colour.b);
    colours.setXYZ(2 * i + 1, colour.r, colour.g, colour.b);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), way.clone().divideScalar(length));
    const size = Math.min(head, 0.6 * length);
    this.heads.setMatrixAt(i, new Matrix4().compose(to, turn, new Vector3(size, size, size)));
    this.heads.setColorAt(i, colour);
  }
  end() {
    this.lines.geometry.setDrawRange(0, 2 * this.count);
    for (const name of ['position', 'color']) this.lines.geometry.getAttribute(name).needsUpdate = true;
    this.heads.count = this.count;
    this.heads.instanceMatrix.needsUpdate = true;
    if (this.heads.instanceColor) this.heads.instanceColor.needsUpdate = true;
  }
}

export class SceneView {
  readonly element = document.createElement('div');
  private renderer: WebGLRenderer;
  private scene = new Scene();
  private camera: OrthographicCamera | PerspectiveCamera;
  private controls: OrbitControls;
  private data: SceneData;
  private size: number;
  private centre: Vector3;
  private instances: Instances[] = [];
  private beams: BeamMesh[] = [];
  private fixed: {object: Mesh | LineSegments; mover: number}[] = [];
  private markers: InstancedMesh[] = [];   // by status: open, stick, slip, impact
  private markerNames: string[][] = [[], [], [], []];
  private arrows: Arrows;
  private trail: LineSegments;
  private links: LineSegments;
  private joints: InstancedMesh;
  private contactSeries: {status?: Series; force?: Series; percussion?: Series; impulse?: Series}[];
  private velocitySeries: (Series | undefined)[][];
  private pairSeries: {names: string; position: (Series | undefined)[]; force: (Series | undefined)[]; status?: Series}[] = [];
  private forceScale = 1;
  private percussionScale = 1;
  private speedScale = 1;
  private plane = new Plane(new Vector3(0, 0, -1), 0);
  private lastFollowed: Vector3 | null = null;
  private frame = 0;
  private wanted = true;
  selected: Picked | null = null;

  constructor(private run: Run, private shown: Shown, private onPick: (picked: Picked | null) => void,
              private onMove: () => void) {
    this.element.className = 'scene';
    this.data = run.meta.scene!;
    const b = run.meta.box.map(x => (Number.isFinite(x) ? x : 0));
    const low = new Vector3(b[0], b[1], b[2]), high = new Vector3(b[3], b[4], b[5]);
    const reach = this.largestPart();
    low.subScalar(reach); high.addScalar(reach);
    if (this.data.planar) { low.z = 0; high.z = 0; }
    this.size = Math.max(high.distanceTo(low), 1e-9);
    this.centre = low.clone().add(high).multiplyScalar(0.5);

    this.renderer = new WebGLRenderer({antialias: true, preserveDrawingBuffer: true});
    this.renderer.localClippingEnabled = true;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.element.append(this.renderer.domElement);
    const up = new Vector3(0, 0, 1), g = new Vector3(...(this.data.gravity as [number, number, number]));
    if (this.data.planar) up.set(0, 1, 0);
    else if (g.length() > 0 && Math.abs(g.z) < 0.5 * g.length()) up.copy(g).multiplyScalar(-1 / g.length()).round().normalize();
    this.camera = this.data.planar ? new OrthographicCamera() : new PerspectiveCamera(35, 1, this.size / 200, this.size * 50);
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera as Camera as PerspectiveCamera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    if (this.data.planar) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons.LEFT = 2 as never;   // pan
      this.controls.touches.ONE = 1 as never;
    }
    this.controls.addEventListener('change', () => { this.wanted = true; this.onMove(); });
    const sun = new DirectionalLight(0xffffff, 1.7);
    const aside = up.clone().cross(new Vector3(0.3, 0.9, 0.31)).normalize();
    sun.position.copy(up).multiplyScalar(2).add(aside).add(this.data.planar ? new Vector3(0, 0, 4) : new Vector3(1, -1, 0));
    const sky = new HemisphereLight(0xffffff, 0x8888a0, 1.3);
    sky.position.copy(up);
    this.scene.add(sun, sky, new AmbientLight(0xffffff, 0.35));

    this.addBodies();
    this.addBeams();
    this.addGround();
    this.contactSeries = this.data.contacts.map(({name}) => ({
      status: run.find(`contacts/${name}/status`), force: run.find(`contacts/${name}/normal_force`),
      percussion: run.find(`contacts/${name}/normal_percussion`), impulse: run.find(`contacts/${name}/normal_impulse`)}));
    this.velocitySeries = this.data.bodies.map(({name}) => ['x', 'y', 'z'].map(k => run.find(`bodies/${name}/velocity/${k}`)));
    for (const channel of run.meta.channels) {
      if (!channel.path.startsWith('pairs/') || !channel.path.endsWith('/position')) continue;
      const path = channel.path.slice(0, -'/position'.length);
      this.pairSeries.push({names: path.slice(6), position: ['x', 'y', 'z'].map(k => run.find(`${path}/position/${k}`)),
        force: ['x', 'y', 'z'].map(k => run.find(`${path}/force/${k}`)), status: run.find(`${path}/status`)});
    }
    this.findScales();
    const room = Math.max(this.data.contacts.length + this.pairSeries.length, 1, ...run.meta.points);
    const shapes = [new SphereGeometry(0.6, 10, 6), new BoxGeometry(1.5, 1.5, 1.5), new OctahedronGeometry(1.15), new TetrahedronGeometry(2)];
    this.markers = shapes.map((shape, status) => {
      const mesh = new InstancedMesh(shape, new MeshLambertMaterial({color: statusColours[status], depthTest: false}), room);
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
      this.scene.add(mesh);
      return mesh;
    });
    this.arrows = new Arrows(this.scene, 2 * room + Math.min(this.data.bodies.length, 2000) + 8);
    this.trail = new LineSegments(new BufferGeometry(), new LineBasicMaterial({vertexColors: true}));
    this.trail.frustumCulled = false;
    this.links = new LineSegments(new BufferGeometry(), new LineBasicMaterial({color: 0x777788}));
    this.links.frustumCulled = false;
    this.joints = new InstancedMesh(new SphereGeometry(1, 12, 8), new MeshLambertMaterial({color: 0x555566}),
        Math.max(this.data.links.length, 1));
    this.joints.frustumCulled = false;
    this.scene.add(this.trail, this.links, this.joints);

    new ResizeObserver(() => this.resize()).observe(this.element);
    let downAt = [0, 0];
    this.renderer.domElement.addEventListener('pointerdown', event => { downAt = [event.clientX, event.clientY]; });
    this.renderer.domElement.addEventListener('pointerup', event => {
      if (Math.hypot(event.clientX - downAt[0], event.clientY - downAt[1]) < 4) this.onPick(this.pick(event));
    });
    this.preset('iso');
    this.setTheme();
  }

  private largestPart(): number {
    let reach = 0;
    for (const body of this.data.bodies) for (const [mesh, scale, x, y, z] of body.parts) {
      const points = this.data.meshes[mesh]?.points ?? [];
      let r = this.data.meshes[mesh]?.sphere ? scale : 0;
      for (let i = 0; i + 2 < points.length; i += 3) {
        r = Math.max(r, Math.hypot(points[i], points[i + 1], this.data.planar ? 0 : points[i + 2]));
      }
      reach = Math.max(reach, r + Math.hypot(x, y, z));
      if (this.data.bodies.length > crowd) return 2 * reach;
    }
    for (const beam of this.data.beams) for (const y of beam.outline) reach = Math.max(reach, Math.abs(y));
    return reach;
  }

  private addBodies() {
    const groups = new Map<number, {movers: number[]; bodies: number[]; parts: Part[]}>();
    const into = (mesh: number, mover: number, body: number, part: Part) => {
      if (!groups.has(mesh)) groups.set(mesh, {movers: [], bodies: [], parts: []});
      const group = groups.get(mesh)!;
      group.movers.push(mover); group.bodies.push(body); group.parts.push(part);
    };
    this.data.bodies.forEach((body, b) => {
      for (const part of body.parts) into(part[0], body.mover, b, part);
      // What has no shape is a point; it still must be seen.
      if (!body.parts.length) into(-1, body.mover, b, [-1, 0.012 * this.size, 0, 0, 0]);
    });
    const flatten = this.data.planar ? 0.004 * this.size : null;
    for (const [number, group] of groups) {
      const mesh = this.data.meshes[number];
      const isBall = number < 0 || mesh?.sphere === true;
      if (!isBall && !mesh) continue;
      const geometry = isBall ? ball(this.data.bodies.length > crowd ? 8 : 24) : geometryOf(mesh, flatten);
      const material = new MeshLambertMaterial({vertexColors: isBall, side: DoubleSide});
      const instanced = new InstancedMesh(geometry, material, group.movers.length);
      instanced.frustumCulled = false;
      group.bodies.forEach((body, i) => instanced.setColorAt(i, new Color(bodyColours[body % bodyColours.length])));
      this.scene.add(instanced);
      this.instances.push({mesh: instanced, ...group});
      if (!isBall && mesh.lines?.length) {
        group.movers.forEach(mover => this.addFixed(new LineSegments(edgesOf({...mesh, polygons: []}),
            new LineBasicMaterial({color: 0x444455})), mover));
      }
    }
  }

  private addFixed(object: Mesh | LineSegments, mover: number) {
    object.frustumCulled = false;
    this.scene.add(object);
    this.fixed.push({object, mover});
  }

  private addGround() {
    const material = () => new MeshLambertMaterial({color: 0xaab2bd, transparent: true, opacity: 0.38, side: DoubleSide, depthWrite: false});
    const add = (number: number, mover: number, part?: Part) => {
      const mesh = this.data.meshes[number];
      if (!mesh) return;
      if (mesh.sphere && part) {
        const body = new Mesh(ball(24), material());
        body.scale.setScalar(part[1]);
        body.position.set(part[2], part[3], part[4]);
        this.scene.add(body);
        return;
      }
      this.addFixed(new Mesh(geometryOf(mesh, null), material()), mover);
      this.addFixed(new LineSegments(edgesOf(mesh), new LineBasicMaterial({color: 0x8a93a0, transparent: true,
        opacity: mesh.polygons.length > 200 ? 0.15 : 0.8})), mover);
    };
    for (const part of this.data.ground) add(part[0], -1, part);
    for (const [mover, mesh] of this.data.faces) add(mesh, mover);
  }

  private addBeams() {
    this.data.beams.forEach((beam, b) => {
      const around = beam.outline.length / 2, elements = beam.nodes - 1, geometry = new BufferGeometry();
      const index: number[] = [];
      for (let e = 0; e < elements; ++e) {
        const a = 2 * e * around, c = a + around;
        for (let i = 0; i < around; ++i) {
          const next = (i + 1) % around;
          index.push(a + i, a + next, c + next, a + i, c + next, c + i);
        }
      }
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * elements * around), 3));
      geometry.setAttribute('color', new BufferAttribute(new Float32Array(6 * elements * around).fill(1), 3));
      geometry.setIndex(index);
      const mesh = new Mesh(geometry, new MeshLambertMaterial({vertexColors: true, side: DoubleSide, flatShading: true}));
      mesh.frustumCulled = false;
      mesh.userData.colour = new Color(bodyColours[(this.data.bodies.length + b) % bodyColours.length]);
      this.scene.add(mesh);
      const frames: Quaternion[] = [];
      for (let i = 0; i + 3 < beam.frames.length; i += 4) {
        const [w, x, y, z] = beam.frames.slice(i, i + 4);
        frames.push(new Quaternion(x, y, z, w));
      }
      this.beams.push({name: beam.name, mesh, around, elements, first: beam.first, outline: beam.outline, frames});
    });
  }

  private findScales() {
    const largest = (series: (Series | undefined)[]) => {
      let most = 0;
      for (const each of series) if (each) for (const value of this.run.values(each)) {
        if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
      }
      return most || 1;
    };
    this.forceScale = largest([...this.contactSeries.map(c => c.force), ...this.pairSeries.flatMap(p => p.force)]);
    for (let f = 0; f < this.run.meta.points.length; f += Math.ceil(this.run.meta.points.length / 50)) {
      const points = this.run.points(f);
      for (let i = 0; i < points.length; i += 8) {
        const force = Math.hypot(points[i + 3], points[i + 4], points[i + 5]);
        if (Number.isFinite(force)) this.forceScale = Math.max(this.forceScale, force);
      }
    }
    this.percussionScale = largest(this.contactSeries.map(c => c.percussion ?? c.impulse));
    this.speedScale = largest(this.velocitySeries.slice(0, 500).flat());
  }

  get planar() { return this.data.planar; }
  get bodyNames() { return this.data.bodies.map(b => b.name); }
  get canvas() { return this.renderer.domElement; }

  setTheme() {
    this.scene.background = new Color(theme().scene);
    this.wanted = true;
  }

  preset(which: Preset) {
    const distance = this.data.planar ? this.size : (0.62 * this.size) / Math.tan((35 / 2) * Math.PI / 180);
    const up = this.camera.up, z = Math.abs(up.z) > 0.5;
    const ways: Record<Preset, Vector3> = {
      iso: z ? new Vector3(0.55, -1, 0.45) : new Vector3(0.45, 0.4, 1),
      front: z ? new Vector3(0, -1, 0) : new Vector3(0, 0, 1),
      side: new Vector3(1, 0, 0),
      top: up.clone().add(new Vector3(1e-4, -2e-4, 1e-4)),
    };
    const way = this.data.planar ? new Vector3(0, 0, 1) : ways[which].normalize();
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(way, distance);
    if (this.camera instanceof OrthographicCamera) this.camera.zoom = 1;
    this.lastFollowed = null;
    this.resize();
    this.controls.update();
    this.wanted = true;
  }

  cameraState(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray(), this.camera.zoom].map(x => Number(x.toPrecision(6)));
  }
  setCamera(state: number[]) {
    if (state.length !== 7 || !state.every(Number.isFinite)) return;
    this.camera.position.set(state[0], state[1], state[2]);
    this.controls.target.set(state[3], state[4], state[5]);
    this.camera.zoom = state[6];
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  private resize() {
    const width = Math.max(this.element.clientWidth, 1), height = Math.max(this.element.clientHeight, 1);
    this.renderer.setSize(width, height, false);
    const aspect = width / height;
    if (this.camera instanceof PerspectiveCamera) {
      this.camera.aspect = aspect;
    } else {
      const half = 0.54 * Math.max(this.size / Math.max(1, aspect), 0.7 * this.size);
      this.camera.left = -half * aspect; this.camera.right = half * aspect;
      this.camera.top = half; this.camera.bottom = -half;
      this.camera.near = -100 * this.size; this.camera.far = 100 * this.size;
    }
    this.camera.updateProjectionMatrix();
    this.wanted = true;
  }

  /// Puts everything where it is in a frame.
  show(f: number) {
    this.frame = f;
    const frame = this.run.frame(f);
    for (const group of this.instances) this.placeInstances(group, frame);
    for (const beam of this.beams) this.placeBeam(beam, frame, f);
    const at = new Vector3(), turn = new Quaternion(), one = new Vector3(1, 1, 1);
    for (const {object, mover} of this.fixed) {
      object.visible = this.shown.faces;
      if (mover < 0) continue;
      this.placeOf(frame, mover, at, turn);
      object.matrixAutoUpdate = false;
      object.matrix.compose(at, turn, one);
    }
    this.drawContacts(frame, f);
    this.drawLinks(frame);
    this.drawTrails(f);
    this.followBody(frame);
    this.cutSection();
    this.wanted = true;
  }

  private placeOf(frame: Frame, mover: number, at: Vector3, turn: Quaternion) {
    if (mover < 0) { at.set(0, 0, 0); turn.identity(); return; }
    at.fromArray(frame.places, 3 * mover);
    const q = frame.turns;
    if (q) turn.set(q[4 * mover + 1], q[4 * mover + 2], q[4 * mover + 3], q[4 * mover]).normalize(); else turn.identity();
  }

  private placeInstances({mesh, movers, parts}: Instances, frame: Frame) {
    const out = mesh.instanceMatrix.array, {places, turns} = frame;
    for (let i = 0; i < movers.length; ++i) {
      const m = movers[i], [, scale, x, y, z] = parts[i], o = 16 * i;
      let w = 1, a = 0, b = 0, c = 0;
      if (turns) {
        w = turns[4 * m]; a = turns[4 * m + 1]; b = turns[4 * m + 2]; c = turns[4 * m + 3];
        const n = Math.hypot(w, a, b, c) || 1;
        w /= n; a /= n; b /= n; c /= n;
      }
      const r00 = 1 - 2 * (b * b + c * c), r01 = 2 * (a * b - w * c), r02 = 2 * (a * c + w * b);
      const r10 = 2 * (a * b + w * c), r11 = 1 - 2 * (a * a + c * c), r12 = 2 * (b * c - w * a);
      const r20 = 2 * (a * c - w * b), r21 = 2 * (b * c + w * a), r22 = 1 - 2 * (a * a + b * b);
      out[o] = scale * r00; out[o + 1] = scale * r10; out[o + 2] = scale * r20; out[o + 3] = 0;
      out[o + 4] = scale * r01; out[o + 5] = scale * r11; out[o + 6] = scale * r21; out[o + 7] = 0;
      out[o + 8] = scale * r02; out[o + 9] = scale * r12; out[o + 10] = scale * r22; out[o + 11] = 0;
      out[o + 12] = places[3 * m] + r00 * x + r01 * y + r02 * z;
      out[o + 13] = places[3 * m + 1] + r10 * x + r11 * y + r12 * z;
      out[o + 14] = places[3 * m + 2] + r20 * x + r21 * y + r22 * z;
      out[o + 15] = 1;
    }
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null;
  }

  private placeBeam(beam: BeamMesh, frame: Frame, f: number) {
    const position = beam.mesh.geometry.getAttribute('position') as BufferAttribute;
    const colours = beam.mesh.geometry.getAttribute('color') as BufferAttribute;
    const at = new Vector3(), turn = new Quaternion(), corner = new Vector3(), colour = new Color();
    const sample = this.run.meta.frames[f], quantity = this.shown.beamQuantity;
    const values = quantity ? Array.from({length: beam.elements}, (_, e) => {
      const series = this.run.find(`beams/${beam.name}/${quantity}/${e + 1}`);
      return series ? this.run.values(series) : null;
    }) : [];
    const most = quantity ? this.largestInBeam(beam, quantity) : 1;
    for (let e = 0; e < beam.elements; ++e) {
      if (quantity && values[e]) {
        // From blue over light to orange, with the sign.
        const part = Math.max(-1, Math.min(1, values[e]![sample] / most));
        colour.set(0xf2f2f2).lerp(new Color(part < 0 ? 0x0072b2 : 0xd55e00), Math.sqrt(Math.abs(part)));
      } else {
        colour.copy(beam.mesh.userData.colour);
      }
      for (const end of [0, 1]) {
        this.placeOf(frame, beam.first + e + end, at, turn);
        const section = turn.clone().multiply(beam.frames[2 * e + end] ?? new Quaternion());
        for (let i = 0; i < beam.around; ++i) {
          corner.set(0, beam.outline[2 * i], beam.outline[2 * i + 1]).applyQuaternion(section).add(at);
          const point = (2 * e + end) * beam.around + i;
          position.setXYZ(point, corner.x, corner.y, corner.z);
          colours.setXYZ(point, colour.r, colour.g, colour.b);
        }
      }
    }
    position.needsUpdate = colours.needsUpdate = true;
    beam.mesh.geometry.computeVertexNormals();
    beam.mesh.geometry.boundingSphere = null;
  }

  private beamScales = new Map<string, number>();
  private largestInBeam(beam: BeamMesh, quantity: string): number {
    const key = `${beam.name}/${quantity}`;
    if (!this.beamScales.has(key)) {
      let most = 0;
      for (let e = 1; e <= beam.elements; ++e) {
        const series = this.run.find(`beams/${key}/${e}`);
        if (series) for (const value of this.run.values(series)) if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
      }
      this.beamScales.set(key, most || 1);
    }
    return this.beamScales.get(key)!;
  }

  private drawContacts(frame: Frame, f: number) {
    const counts = [0, 0, 0, 0], mark = 0.006 * this.size, head = 0.025 * this.size;
    this.markerNames = [[], [], [], []];
    this.arrows.begin();
    const reach = 0.25 * this.size * this.shown.arrowSize;
    const sample = this.run.meta.frames[f], before = f > 0 ? this.run.meta.frames[f - 1] : sample - 1;
    const at = new Vector3(), way = new Vector3();
    const put = (name: string, status: number, force: Vector3, strength: number) => {
      if (!this.shown.contacts) return;
      const kind = Math.min(Math.max(Math.round(status) || 0, 0), 3);
      this.markers[kind].setMatrixAt(counts[kind], new Matrix4().makeScale(mark, mark, mark).setPosition(at));
      this.markerNames[kind].push(name);
      ++counts[kind];
      if (this.shown.forces && kind > 0) {
        this.arrows.add(at, force.clone().multiplyScalar(reach * strength), new Color(statusColours[kind]), head);
      }
    };
    this.data.contacts.forEach(({name}, c) => {
      at.fromArray(frame.touches, 3 * c);
      way.fromArray(frame.normals, 3 * c);
      if (!Number.isFinite(at.x + at.y + at.z)) return;
      const {status, force, percussion, impulse} = this.contactSeries[c];
      let hit = 0;
      const hits = percussion ? this.run.values(percussion) : null;
      const impulses = !hits && impulse && force ? this.run.values(impulse) : null;
      for (let i = Math.max(before + 1, 0); i <= sample; ++i) {
        if (hits) hit = Math.max(hit, hits[i] || 0);
        // Where a scheme does not tell them apart, an impulse without a lasting force is an impact.
        else if (impulses && this.run.values(force!)[i] === 0) hit = Math.max(hit, impulses[i] || 0);
      }
      const state = status ? this.run.values(status)[sample] : 0;
      if (hit > 1e-9 * this.percussionScale) put(name, 3, way, 0.2 + 0.8 * hit / this.percussionScale);
      else put(name, state, way, (force ? this.run.values(force)[sample] || 0 : 0) / this.forceScale);
    });
    const points = this.run.points(f);
    for (let i = 0; i < points.length; i += 8) {
      at.fromArray(points, i);
      way.fromArray(points, i + 3);
      put('', points[i + 6], way, 1 / this.forceScale);
    }
    if (!points.length) for (const pair of this.pairSeries) {
      const status = pair.status ? this.run.values(pair.status)[sample] : 0;
      if (!(status > 0)) continue;
      const read = (series: (Series | undefined)[]) => series.map(s => (s ? this.run.values(s)[sample] : 0));
      at.set(...(read(pair.position) as [number, number, number]));
      way.set(...(read(pair.force) as [number, number, number]));
      put(`pairs/${pair.names}`, status, way, 1 / this.forceScale);
    }
    if (this.shown.velocities) {
      const colour = new Color(theme().velocity);
      this.data.bodies.slice(0, 2000).forEach((body, b) => {
        at.fromArray(frame.places, 3 * body.mover);
        const [x, y, z] = this.velocitySeries[b];
        way.set(x ? this.run.values(x)[sample] : 0, y ? this.run.values(y)[sample] : 0, z ? this.run.values(z)[sample] : 0);
        this.arrows.add(at, way.multiplyScalar(reach / this.speedScale), colour, head);
      });
    }
    this.arrows.end();
    this.markers.forEach((mesh, kind) => {
      mesh.count = counts[kind];
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    });
  }

  private drawLinks(frame: Frame) {
    this.links.visible = this.joints.visible = this.shown.links;
    if (!this.shown.links) return;
    const points: number[] = [], at = new Vector3(), turn = new Quaternion();
    let joints = 0;
    const radius = 0.008 * this.size;
    for (const link of this.data.links) {
      const ends = link.points.map(([mover, x, y, z]) => {
        this.placeOf(frame, mover, at, turn);
        return new Vector3(x, y, z).applyQuaternion(turn).add(at);
      });
      if (!ends.length) continue;
      if (link.kind === 'joint') {
        this.joints.setMatrixAt(joints++, new Matrix4().makeScale(radius, radius, radius).setPosition(ends.at(-1)!));
        // Joints hold two points together, or at a distance.
        if (ends.length > 1 && ends[0].distanceTo(ends[1]) < 1e-3 * this.size) continue;
      }
      for (let i = 1; i < ends.length; ++i) {
        const from = ends[i - 1], to = ends[i], along = to.clone().sub(from), length = along.length();
        if (link.kind !== 'spring' || length === 0) { points.push(...from.toArray(), ...to.toArray()); continue; }
        const aside = along.clone().cross(Math.abs(along.z) > 0.9 * length ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1))
            .setLength(0.014 * this.size);
        const turns = 14;
        let last = from.clone();
        for (let k = 1; k <= turns; ++k) {
          const next = from.clone().addScaledVector(along, (k - (k === turns ? 0 : 0.5)) / turns);
          if (k < turns && k > 1) next.addScaledVector(aside, k % 2 ? 1 : -1);
          points.push(...last.toArray(), ...next.toArray());
          last = next;
        }
      }
    }
    this.links.geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    this.joints.count = joints;
    this.joints.instanceMatrix.needsUpdate = true;
    this.joints.boundingSphere = null;
  }

  private drawTrails(f: number) {
    this.trail.visible = this.shown.trails;
    if (!this.shown.trails) return;
    const chosen = this.selected?.kind === 'body' ? this.data.bodies.filter(b => b.name === this.selected!.name)
                                                  : this.data.bodies.slice(0, 50);
    const points: number[] = [], colours: number[] = [];
    const step = Math.max(1, Math.ceil(chosen.length * f / 40000));
    for (const body of chosen) {
      const colour = new Color(bodyColours[this.data.bodies.indexOf(body) % bodyColours.length]);
      for (let k = step; k <= f; k += step) {
        for (const i of [k - step, k]) {
          const places = this.run.frame(i).places;
          points.push(places[3 * body.mover], places[3 * body.mover + 1], places[3 * body.mover + 2]);
          colours.push(colour.r, colour.g, colour.b);
        }
      }
    }
    this.trail.geometry.dispose();
    this.trail.geometry = new BufferGeometry();
    this.trail.geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    this.trail.geometry.setAttribute('color', new BufferAttribute(new Float32Array(colours), 3));
  }

  private followBody(frame: Frame) {
    const body = this.shown.follow && this.selected ? this.data.bodies.find(b => b.name === this.selected!.name) : undefined;
    if (!body) { this.lastFollowed = null; return; }
    const now = new Vector3().fromArray(frame.places, 3 * body.mover);
    if (!this.lastFollowed) this.lastFollowed = this.controls.target.clone();
    const way = now.clone().sub(this.lastFollowed);
    this.controls.target.add(way);
    this.camera.position.add(way);
    this.lastFollowed = now;
    this.controls.update();
  }

  private cutSection() {
    const {section, sectionAt} = this.shown;
    if (section === 'none') { this.renderer.clippingPlanes = []; return; }
    const axis = {x: 0, y: 1, z: 2}[section];
    const normal = new Vector3().setComponent(axis, -1);
    this.plane.set(normal, this.centre.getComponent(axis) + (sectionAt - 0.5) * this.size);
    this.renderer.clippingPlanes = [this.plane];
  }

  private pick(event: PointerEvent): Picked | null {
    const box = this.renderer.domElement.getBoundingClientRect();
    const at = new Vector2(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height);
    const ray = new Raycaster();
    ray.setFromCamera(at, this.camera);
    for (const kind of [3, 2, 1, 0]) {
      const [hit] = ray.intersectObject(this.markers[kind]);
      if (hit?.instanceId === undefined) continue;
      const name = this.markerNames[kind][hit.instanceId];
      if (name) return {kind: 'contact', name};
    }
    let nearest: Picked | null = null, distance = Infinity;
    for (const {mesh, bodies} of this.instances) {
      const [hit] = ray.intersectObject(mesh);
      if (hit?.instanceId === undefined || hit.distance >= distance) continue;
      distance = hit.distance;
      nearest = {kind: 'body', name: this.data.bodies[bodies[hit.instanceId]].name};
    }
    for (const beam of this.beams) {
      const [hit] = ray.intersectObject(beam.mesh);
      if (!hit || hit.distance >= distance) continue;
      distance = hit.distance;
      nearest = {kind: 'beam', name: beam.name};
    }
    return nearest;
  }

  /// Where on the page something is drawn, in pixels of the window.
  whereIs(picked: Picked): [number, number] | null {
    const frame = this.run.frame(this.frame), at = new Vector3();
    const body = this.data.bodies.find(b => b.name === picked.name);
    const contact = this.data.contacts.findIndex(c => c.name === picked.name);
    if (picked.kind === 'body' && body) at.fromArray(frame.places, 3 * body.mover);
    else if (picked.kind === 'contact' && contact >= 0) at.fromArray(frame.touches, 3 * contact);
    else return null;
    this.camera.updateMatrixWorld();
    at.project(this.camera);
    const box = this.renderer.domElement.getBoundingClientRect();
    return [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height];
  }

  select(picked: Picked | null) {
    this.selected = picked;
    this.lastFollowed = null;
    for (const {mesh, bodies} of this.instances) {
      bodies.forEach((body, i) => {
        const colour = new Color(bodyColours[body % bodyColours.length]);
        if (picked && !(picked.kind === 'body' && this.data.bodies[body].name === picked.name) && picked.kind === 'body') {
          colour.lerp(new Color(theme().scene), 0.55);
        }
        mesh.setColorAt(i, colour);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    this.show(this.frame);
  }

  /// Draws when something has changed.
  render() {
    if (!this.wanted) return;
    this.wanted = false;
    this.renderer.render(this.scene, this.camera);
  }

  dispose() {
    this.controls.dispose();
    this.renderer.dispose();
    this.element.remove();
  }
}
