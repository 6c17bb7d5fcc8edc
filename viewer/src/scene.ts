// The machine in three dimensions, or in its plane, as it stands in a frame of a run.
import {
  AmbientLight, BackSide, Box3, BoxGeometry, BufferAttribute, BufferGeometry, Camera, Color, ConeGeometry, CylinderGeometry, DirectionalLight,
  DoubleSide, EdgesGeometry, FrontSide, HemisphereLight, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial,
  OctahedronGeometry, OrthographicCamera, PCFSoftShadowMap, PerspectiveCamera, Plane, Quaternion, Raycaster, Scene, ShadowMaterial,
  ShapeUtils, SphereGeometry, TetrahedronGeometry, Vector2, Vector3, WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import type {Frame, MeshData, Part, Run, SceneData, Series} from './data';
import {bodyColours, scaleColours, statusNames, theme} from './colours';
import {element, format} from './dom';
import {Grains} from './grains';

export interface Shown {
  contacts: boolean;
  forces: boolean;
  velocities: boolean;
  momenta: boolean;
  shadows: boolean;
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
export type Preset = 'iso' | 'front' | 'side' | 'top' | 'near';

const crowd = 3000;          // bodies from which balls are points
const most_halos = 30;       // in a picture with larger bodies
const creaseCosine = 0.77;   // of edges that look sharp

interface Instances {
  run: Run;
  mesh: InstancedMesh;
  movers: number[];
  bodies: number[];
  parts: Part[];
}

/// Points of a section in rings, the first and the last of each element at its nodes.
interface BeamMesh {
  name: string;
  run: Run;
  mesh: Mesh;
  around: number;
  elements: number;
  rings: number;   // of an element
  first: number;
  outline: number[];
  frames: Quaternion[];
}

interface Surface { points: Vector3[]; faces: number[][]; shades: number[] }

/// Triangles of a mesh. What is round has dark quarters, so that it is seen to turn.
function surfaceOf(mesh: MeshData): Surface {
  const points: Vector3[] = [], faces: number[][] = [], shades: number[] = [];
  for (let i = 0; i + 2 < mesh.points.length; i += 3) points.push(new Vector3(mesh.points[i], mesh.points[i + 1], mesh.points[i + 2]));
  const size = points.length;
  const add = (face: number[], shade = 1) => { faces.push(face); shades.push(shade); };
  for (const polygon of mesh.polygons) {
    if (polygon.length < 3 || polygon.some(i => !(i >= 0 && i < size))) continue;
    if (polygon.length === 3) { add(polygon); continue; }
    const corners = polygon.map(i => points[i]);
    // Newell's normal holds for polygons that are not convex, too.
    const normal = new Vector3();
    corners.forEach((corner, i) => normal.add(corner.clone().cross(corners[(i + 1) % corners.length])));
    normal.normalize();
    const u = new Vector3(1, 0, 0);
    if (Math.abs(normal.x) > 0.9) u.set(0, 1, 0);
    u.cross(normal).normalize();
    const v = normal.clone().cross(u);
    const centre = corners.reduce((sum, corner) => sum.addScaledVector(corner, 1 / corners.length), new Vector3());
    const radius = corners[0].distanceTo(centre);
    if (corners.length >= 12 && corners.every(corner => Math.abs(corner.distanceTo(centre) - radius) < 1e-3 * radius)) {
      points.push(centre);
      polygon.forEach((from, i) => {
        const to = polygon[(i + 1) % polygon.length], middle = points[from].clone().add(points[to]).multiplyScalar(0.5).sub(centre);
        const quarter = Math.floor(2 * Math.atan2(middle.dot(v), middle.dot(u)) / Math.PI);
        add([from, to, points.length - 1], quarter % 2 ? 0.8 : 1);
      });
      continue;
    }
    const flat = corners.map(corner => new Vector2(corner.dot(u), corner.dot(v)));
    for (const face of ShapeUtils.triangulateShape(flat, [])) add(face.map(i => polygon[i]));
  }
  return {points, faces, shades};
}

function geometryOf(mesh: MeshData, flatten: number | null): BufferGeometry {
  const {points, faces, shades} = surfaceOf(mesh);
  if (flatten !== null) for (const point of points) point.z = Math.sign(point.z) * flatten;
  const normals = faces.map(([a, b, c]) => points[b].clone().sub(points[a]).cross(points[c].clone().sub(points[a])).normalize());
  const around: number[][] = points.map(() => []);
  faces.forEach((face, f) => face.forEach(i => around[i].push(f)));
  const position = new Float32Array(9 * faces.length), normal = new Float32Array(9 * faces.length), colour = new Float32Array(9 * faces.length);
  faces.forEach((face, f) => face.forEach((i, k) => {
    const sum = new Vector3();
    for (const other of around[i]) if (normals[other].dot(normals[f]) > creaseCosine) sum.add(normals[other]);
    points[i].toArray(position, 9 * f + 3 * k);
    sum.normalize().toArray(normal, 9 * f + 3 * k);
    colour.fill(shades[f], 9 * f + 3 * k, 9 * f + 3 * k + 3);
  }));
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  geometry.setAttribute('color', new BufferAttribute(colour, 3));
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

/// Shafts and heads, in the exact colours of the legend, after all that can be seen through.
class Arrows {
  private parts: InstancedMesh[];
  private count = 0;
  constructor(scene: Scene, private room: number) {
    this.parts = [new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), new ConeGeometry(1, 1, 12).translate(0, -0.5, 0)]
        .map(shape => new InstancedMesh(shape, new MeshBasicMaterial({depthTest: false, transparent: true}), room));
    for (const part of this.parts) {
      part.frustumCulled = false;
      part.renderOrder = 3;
      scene.add(part);
    }
  }
  begin() { this.count = 0; }
  add(from: Vector3, way: Vector3, colour: Color, head: number) {
    const length = way.length();
    if (this.count >= this.room || !(length > 0.3 * head)) return;
    const i = this.count++, size = Math.min(head, 0.6 * length);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), way.clone().divideScalar(length));
    const [shaft, cone] = this.parts;
    shaft.setMatrixAt(i, new Matrix4().compose(from, turn, new Vector3(0.11 * size, length - 0.8 * size, 0.11 * size)));
    cone.setMatrixAt(i, new Matrix4().compose(from.clone().add(way), turn, new Vector3(0.32 * size, size, 0.32 * size)));
    for (const part of this.parts) part.setColorAt(i, colour);
  }
  end() {
    for (const part of this.parts) {
      part.count = this.count;
      part.instanceMatrix.needsUpdate = true;
      if (part.instanceColor) part.instanceColor.needsUpdate = true;
    }
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
  private mark: number;     // of contacts
  private seen = 1;         // to which arrows and marks are in proportion, as a part of the size
  private centre: Vector3;
  private sides: Vector3;
  private instances: Instances[] = [];
  private grains: Grains[] = [];
  private sun!: DirectionalLight;
  private scale = element('div', 'colour-scale');   // of beams
  private hint = element('div', 'hint');            // what the mouse is over
  private pointed: PointerEvent | null = null;      // where it is, until the hint is shown
  private isHeld = false;                           // by a hand that turns it
  private beams: BeamMesh[] = [];
  private grounds: MeshLambertMaterial[] = [];   // that are not seen through
  private groundPoints: Vector3[] = [];
  private halos: InstancedMesh | null = null;    // about bodies that are hardly seen
  private small: number[] = [];                  // their movers
  private fixed: {object: Mesh | LineSegments; mover: number}[] = [];
  private markers: InstancedMesh[] = [];   // by status: open, stick, slip, impact
  private markerNames: {name: string; force: number; gap: number}[][] = [[], [], [], []];
  reactions: {name: string; status: number; force: number[]}[] = [];   // that are drawn [N], of impacts [N s]
  private arrows!: Arrows;
  private trail: LineSegments;
  private links: LineSegments;
  private joints: InstancedMesh;
  private contactSeries: {status?: Series; force?: Series; percussion?: Series; impulse?: Series; gap?: Series;
    friction: (Series | undefined)[]; blow: (Series | undefined)[]}[];
  private velocitySeries: (Series | undefined)[][];
  private spinSeries: (Series | undefined)[][];
  private pairSeries: {names: string; position: (Series | undefined)[]; force: (Series | undefined)[]; status?: Series}[] = [];
  private forceScale = 1;
  private percussionScale = 1;
  private speedScale = 1;
  private momentumScale = 1;
  private plane = new Plane(new Vector3(0, 0, -1), 0);
  private lastFollowed: Vector3 | null = null;
  private frame = 0;
  private wanted = true;
  selected: Picked | null = null;

  constructor(private run: Run, private shown: Shown, private onPick: (picked: Picked | null) => void,
              private onMove: (byHand: boolean) => void, private others: Run[] = [], private beside: Run[] = []) {
    this.element.className = 'scene';
    this.data = run.meta.scene!;
    // What is compared is seen from the same place.
    const bounds = new Box3();
    for (const each of this.compared) if (each.meta.scene) bounds.union(this.boundsOf(each));
    if (bounds.isEmpty()) bounds.set(new Vector3(), new Vector3());
    const {min: low, max: high} = bounds;
    // What hangs is seen with what it hangs from, unless that is far away.
    const motion = low.distanceTo(high), hasSize = this.largestPart() > 0, middle = low.clone().add(high).multiplyScalar(0.5), held = new Vector3();
    for (const link of this.data.links) for (const [mover, x, y, z] of link.points) {
      if (mover >= 0) continue;
      const away = held.set(x, y, z).distanceTo(middle);
      if (away < 4 * motion || (!hasSize && motion < 0.05 * away)) { low.min(held); high.max(held); }
    }
    // A point that stays where it is.
    if (!(low.distanceTo(high) > 1e-9)) { low.subScalar(0.5); high.addScalar(0.5); }
    // Marks and arrows at the edges have some room.
    bounds.expandByScalar(0.03 * low.distanceTo(high));
    if (this.data.planar) { low.z = 0; high.z = 0; }
    this.size = Math.max(high.distanceTo(low), 1e-9);
    this.sides = high.clone().sub(low);
    this.centre = low.clone().add(high).multiplyScalar(0.5);

    this.mark = Math.min(0.006 * this.size, Math.max(0.15 * this.smallestPart(), 0.0012 * this.size));

    // Points of a crowd are drawn round without smoothed edges, which cost most of the time where a processor draws.
    this.renderer = new WebGLRenderer({antialias: this.data.bodies.length <= crowd, preserveDrawingBuffer: true});
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
    this.controls.addEventListener('change', () => { this.wanted = true; this.onMove(this.isHeld); });
    this.controls.addEventListener('start', () => { this.fitted = null; this.isHeld = true; });
    this.controls.addEventListener('end', () => { this.isHeld = false; });
    const sun = this.sun = new DirectionalLight(0xffffff, 1.9);
    const aside = up.clone().cross(new Vector3(0.3, 0.9, 0.31)).normalize();
    sun.position.copy(up).multiplyScalar(2.6).add(aside).add(this.data.planar ? new Vector3(0, 0, 4) : new Vector3(0.8, -0.8, 0))
        .normalize().multiplyScalar(2 * this.size).add(this.centre);
    sun.target.position.copy(this.centre);
    sun.target.updateMatrixWorld();
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.normalBias = 0.002 * this.size;
    sun.shadow.bias = -0.0005;
    const lit = sun.shadow.camera;
    lit.left = lit.bottom = -0.75 * this.size;
    lit.right = lit.top = 0.75 * this.size;
    lit.near = 0.5 * this.size;
    lit.far = 4 * this.size;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    const sky = new HemisphereLight(0xffffff, 0x8888a0, 1.25);
    sky.position.copy(up);
    this.scene.add(sun, sky, new AmbientLight(0xffffff, 0.3));

    for (const each of [run, ...others]) {
      if (!each.meta.scene) continue;
      this.addBodies(each);
      this.addBeams(each);
    }
    this.addGround();
    this.addHalos();
    this.element.append(this.scale);
    this.contactSeries = this.data.contacts.map(({name}) => ({
      status: run.find(`contacts/${name}/status`), force: run.find(`contacts/${name}/normal_force`),
      percussion: run.find(`contacts/${name}/normal_percussion`), impulse: run.find(`contacts/${name}/normal_impulse`),
      gap: run.find(`contacts/${name}/gap`), friction: [1, 2].map(k => run.find(`contacts/${name}/tangential_force/${k}`)),
      blow: [1, 2].map(k => run.find(`contacts/${name}/tangential_percussion/${k}`) ?? run.find(`contacts/${name}/tangential_impulse/${k}`))}));
    this.velocitySeries = this.data.bodies.map(({name}) => ['x', 'y', 'z'].map(k => run.find(`bodies/${name}/velocity/${k}`)));
    this.spinSeries = this.data.bodies.map(({name, centre}) => (centre ? ['x', 'y', 'z'].map(k => run.find(`bodies/${name}/angular_velocity/${k}`)) : []));
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
      const mesh = new InstancedMesh(shape, new MeshBasicMaterial({color: theme().status[status], depthTest: false, transparent: true}), room);
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
      this.scene.add(mesh);
      return mesh;
    });
    this.arrows = new Arrows(this.scene, 2 * room + 2 * Math.min(this.data.bodies.length, 2000) + 8);
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
    this.hint.hidden = true;
    this.element.append(this.hint);
    this.renderer.domElement.addEventListener('pointermove', event => {
      this.pointed = event.pointerType === 'mouse' && event.buttons === 0 ? event : null;
      if (!this.pointed) this.hint.hidden = true;
    });
    this.renderer.domElement.addEventListener('pointerleave', () => { this.pointed = null; this.hint.hidden = true; });
    this.renderer.domElement.addEventListener('pointerdown', event => { downAt = [event.clientX, event.clientY]; this.hint.hidden = true; });
    this.renderer.domElement.addEventListener('pointerup', event => {
      if (Math.hypot(event.clientX - downAt[0], event.clientY - downAt[1]) < 4) this.onPick(this.pick(event));
    });
    this.preset('iso');
    this.setTheme();
  }

  /// About all that bodies and beams go through, as their shapes turn; of crowds as if they turned about everywhere.
  private boundsOf(run: Run): Box3 {
    const {box} = run.meta, data = run.meta.scene!, bounds = new Box3(), all = box.map(x => (Number.isFinite(x) ? x : 0));
    if (data.bodies.length > crowd || run.meta.movers * run.frameCount > 1e6) {
      bounds.set(new Vector3().fromArray(all), new Vector3().fromArray(all, 3));
      return bounds.expandByScalar(this.largestPart());
    }
    const at = new Vector3(), turn = new Quaternion(), point = new Vector3();
    // Corners of the boxes about parts, and how far what is round goes beyond.
    const extents = data.meshes.map(mesh => {
      const own = new Box3(), {points = []} = mesh;   // none of balls
      for (let i = 0; i + 2 < points.length; i += 3) own.expandByPoint(point.fromArray(points, i));
      return own;
    });
    const corners = data.bodies.map(body => {
      const list: {point: Vector3; radius: number}[] = [{point: new Vector3(), radius: 0}];
      for (const [mesh, scale, x, y, z] of body.parts) {
        const place = new Vector3(x, y, z), own = extents[mesh];
        if (data.meshes[mesh]?.sphere) list.push({point: place, radius: scale});
        else if (own && !own.isEmpty()) for (let k = 0; k < 8; ++k) {
          list.push({point: new Vector3(k & 1 ? own.min.x : own.max.x, k & 2 ? own.min.y : own.max.y, data.planar ? 0 : k & 4 ? own.min.z : own.max.z)
            .multiplyScalar(scale).add(place), radius: 0});
        }
      }
      const sticks = Array.isArray(body.sticks) ? body.sticks : [];
      for (let i = 0; i + 2 < sticks.length; i += 3) list.push({point: new Vector3().fromArray(sticks, i), radius: 0});
      if (list.length <= 40) return list;
      const own = new Box3();
      for (const {point: corner, radius} of list) own.union(new Box3(corner.clone(), corner.clone()).expandByScalar(radius));
      return [0, 1, 2, 3, 4, 5, 6, 7].map(k => ({point: new Vector3(k & 1 ? own.min.x : own.max.x, k & 2 ? own.min.y : own.max.y, k & 4 ? own.min.z : own.max.z), radius: 0}));
    });
    const step = Math.max(1, Math.ceil(run.frameCount * (data.bodies.length + 1) / 30000));
    const low = new Vector3(), high = new Vector3();
    for (let f = 0; f < run.frameCount; f += step) {
      const frame = run.frame(f);
      data.bodies.forEach((body, b) => {
        this.placeOf(frame, body.mover, at, turn);
        if (!Number.isFinite(at.x + at.y + at.z + turn.w)) return;
        for (const {point: corner, radius} of corners[b]) {
          point.copy(corner).applyQuaternion(turn).add(at);
          bounds.expandByPoint(low.copy(point).subScalar(radius)).expandByPoint(high.copy(point).addScalar(radius));
        }
      });
    }
    // Nodes of beams, and places between the frames that were looked at.
    const thick = Math.max(0, ...data.beams.flatMap(beam => beam.outline.map(Math.abs)));
    if (run.meta.movers) bounds.union(new Box3(new Vector3().fromArray(all).subScalar(thick), new Vector3().fromArray(all, 3).addScalar(thick)));
    return bounds;
  }

  private get compared(): Run[] { return [this.run, ...this.others, ...this.beside]; }

  private reachOf(body: SceneData['bodies'][0]): number {
    let reach = 0;
    for (const [mesh, scale, x, y, z] of body.parts) {
      const points = this.data.meshes[mesh]?.points ?? [];
      let r = this.data.meshes[mesh]?.sphere ? scale : 0;
      for (let i = 0; i + 2 < points.length; i += 3) {
        r = Math.max(r, Math.hypot(points[i], points[i + 1], this.data.planar ? 0 : points[i + 2]));
      }
      reach = Math.max(reach, r + Math.hypot(x, y, z));
    }
    return reach;
  }

  private largestPart(): number {
    if (this.data.bodies.length > crowd) return 2 * this.reachOf(this.data.bodies[0]);
    let reach = 0;
    for (const body of this.data.bodies) reach = Math.max(reach, this.reachOf(body));
    for (const {sticks = []} of this.data.bodies) {
      for (let i = 0; i + 2 < sticks.length; i += 3) reach = Math.max(reach, Math.hypot(sticks[i], sticks[i + 1], sticks[i + 2]));
    }
    for (const beam of this.data.beams) for (const y of beam.outline) reach = Math.max(reach, Math.abs(y));
    return reach;
  }

  /// Marks must not hide what they are on.
  private smallestPart(): number {
    let least = Infinity;
    for (const body of this.data.bodies.slice(0, 500)) for (const [mesh, scale] of body.parts) {
      const {sphere, points = []} = this.data.meshes[mesh] ?? {};
      let r = sphere ? scale : 0;
      for (let i = 0; i + 2 < points.length; i += 3) r = Math.max(r, Math.hypot(points[i], points[i + 1], this.data.planar ? 0 : points[i + 2]));
      if (r > 0) least = Math.min(least, r);
    }
    return least;
  }

  /// What has no shape is seen as sticks to where it is held.
  private sticksOf(ends: number[]): BufferGeometry {
    const position: number[] = [], normal: number[] = [], thick = 0.0045 * this.size;
    for (let i = 0; i + 2 < ends.length; i += 3) {
      const end = new Vector3(ends[i], ends[i + 1], ends[i + 2]), length = end.length();
      if (!(length > 0)) continue;
      const stick = new CylinderGeometry(thick, thick, length, 10).translate(0, length / 2, 0).toNonIndexed()
          .applyQuaternion(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), end.divideScalar(length)));
      position.push(...stick.getAttribute('position').array);
      normal.push(...stick.getAttribute('normal').array);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(position), 3));
    geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normal), 3));
    return geometry;
  }

  private addBodies(run: Run) {
    const data = run.meta.scene!, isOther = run !== this.run;
    const groups = new Map<number, {movers: number[]; bodies: number[]; parts: Part[]}>();
    const into = (mesh: number, mover: number, body: number, part: Part) => {
      if (!groups.has(mesh)) groups.set(mesh, {movers: [], bodies: [], parts: []});
      const group = groups.get(mesh)!;
      group.movers.push(mover); group.bodies.push(body); group.parts.push(part);
    };
    data.bodies.forEach((body, b) => {
      for (const part of body.parts) into(part[0], body.mover, b, part);
      // What has no shape is a point; it still must be seen.
      if (!body.parts.length) into(-1, body.mover, b, [-1, 0.014 * this.size, 0, 0, 0]);
    });
    const flatten = data.planar ? 0.004 * this.size : null;
    const sticks = new Map<number, number[]>();   // by number of a mesh of their own
    data.bodies.forEach((body, b) => {
      if (!Array.isArray(body.sticks)) return;
      sticks.set(-2 - b, body.sticks);
      into(-2 - b, body.mover, b, [-2 - b, 1, 0, 0, 0]);
    });
    for (const [number, group] of groups) {
      const mesh = data.meshes[number], ends = sticks.get(number);
      const isBall = number === -1 || mesh?.sphere === true;
      if (!isBall && !mesh && !ends) continue;
      if (isBall && !isOther && group.movers.length > crowd && group.parts.every(p => p[2] === 0 && p[3] === 0 && p[4] === 0)) {
        const grains = new Grains(group.movers, group.bodies, group.parts.map(p => p[1]));
        grains.setColours(body => new Color(bodyColours[body % bodyColours.length]));
        this.scene.add(grains.object);
        this.grains.push(grains);
        continue;
      }
      const geometry = isBall ? ball(group.movers.length > 400 ? 16 : 28) : ends ? this.sticksOf(ends) : geometryOf(mesh, flatten);
      const material = new MeshLambertMaterial({vertexColors: !ends, side: DoubleSide, transparent: isOther, opacity: isOther ? 0.35 : 1});
      const instanced = new InstancedMesh(geometry, material, group.movers.length);
      instanced.frustumCulled = false;
      instanced.castShadow = instanced.receiveShadow = !isOther;
      group.bodies.forEach((body, i) => instanced.setColorAt(i, new Color(bodyColours[body % bodyColours.length])));
      this.scene.add(instanced);
      this.instances.push({run, mesh: instanced, ...group});
      if (!isOther && !isBall && mesh?.lines?.length) {
        group.movers.forEach(mover => this.addFixed(new LineSegments(edgesOf({...mesh, polygons: []}),
            new LineBasicMaterial({color: 0x444455})), mover));
      }
    }
  }

  /// Where bodies are that are smaller than a few pixels.
  private addHalos() {
    const {bodies} = this.data, small = bodies.filter(body => this.reachOf(body) < 0.008 * this.size && body.parts.length && !body.sticks);
    if (!small.length || small.length > most_halos && this.largestPart() > 0.005 * this.size || bodies.length > crowd) return;
    this.halos = new InstancedMesh(new SphereGeometry(0.012 * this.size, 16, 10),
        new MeshLambertMaterial({transparent: true, opacity: 0.4, depthWrite: false}), small.length);
    this.halos.frustumCulled = false;
    this.small = small.map(body => body.mover);
    small.forEach((body, i) => this.halos!.setColorAt(i, new Color(bodyColours[bodies.indexOf(body) % bodyColours.length])));
    this.scene.add(this.halos);
  }

  private placeHalos(frame: Frame) {
    if (!this.halos) return;
    const {halos} = this, at = new Vector3();
    halos.visible = this.seen > 0.3;
    this.small.forEach((mover, i) => halos.setMatrixAt(i, new Matrix4().setPosition(at.fromArray(frame.places, 3 * mover))));
    halos.instanceMatrix.needsUpdate = true;
    halos.boundingSphere = null;
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
      const surface = geometryOf(mesh, this.data.planar && mesh.polygons.length ? 0.002 * this.size : null), front = material(), back = material();
      // In the plane what is solid is flat and hides nothing.
      if (this.data.planar) {
        front.color.set(theme().ground);
        front.opacity = 1;
        front.transparent = false;
        front.depthWrite = true;
        this.grounds.push(front);
      }
      // A wall that hides what is behind it is hardly seen from its back.
      front.side = FrontSide;
      back.side = BackSide;
      back.opacity = 0.12;
      // Walls stand between the eye and what they hold.
      if (!this.data.planar && mover < 0 && mesh.polygons.length === 1 && !this.looksUp(surface)) { front.opacity = 0.2; back.opacity = 0.05; }
      this.addFixed(new Mesh(surface, front), mover);
      this.addFixed(new Mesh(surface, back), mover);
      // Walls would have long shadows that puzzle.
      if (!this.data.planar && mover < 0 && this.looksUp(surface)) {
        for (let i = 0; i + 2 < mesh.points.length; i += 3) this.groundPoints.push(new Vector3().fromArray(mesh.points, i));
        const shade = new Mesh(surface, new ShadowMaterial({opacity: 0.28, depthWrite: false}));
        shade.receiveShadow = true;
        this.addFixed(shade, mover);
      }
      const isRound = !this.data.planar && mesh.polygons.length > 200;
      if (!isRound && mesh.polygons.length) {
        this.addFixed(new LineSegments(new EdgesGeometry(surface, 20), new LineBasicMaterial({color: 0x8a93a0})), mover);
      }
      this.addFixed(new LineSegments(edgesOf(isRound ? mesh : {...mesh, polygons: []}), new LineBasicMaterial({color: 0x8a93a0, transparent: true,
        opacity: isRound ? 0.15 : 0.8})), mover);
    };
    for (const part of this.data.ground) add(part[0], -1, part);
    for (const [mover, mesh] of this.data.faces) add(mesh, mover);
  }

  private looksUp(surface: BufferGeometry): boolean {
    const normals = surface.getAttribute('normal'), up = this.camera.up;
    let most = -1;
    for (let i = 0; i < normals.count; ++i) most = Math.max(most, up.x * normals.getX(i) + up.y * normals.getY(i) + up.z * normals.getZ(i));
    return most > 0.5;
  }

  private addBeams(run: Run) {
    const data = run.meta.scene!, isOther = run !== this.run;
    data.beams.forEach((beam, b) => {
      const around = beam.outline.length / 2, elements = beam.nodes - 1, geometry = new BufferGeometry();
      // Few elements bend so much that they would look like a polygon.
      const rings = 1 + Math.min(Math.max(Math.ceil(32 / Math.max(elements, 1)), 1), 8), points = rings * elements * around;
      const index: number[] = [];
      for (let r = 0; r < rings * elements; ++r) {
        if (r % rings === rings - 1) continue;
        const a = r * around, c = a + around;
        for (let i = 0; i < around; ++i) {
          const next = (i + 1) % around;
          index.push(a + i, a + next, c + next, a + i, c + next, c + i);
        }
      }
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * points), 3));
      geometry.setAttribute('color', new BufferAttribute(new Float32Array(3 * points).fill(1), 3));
      geometry.setIndex(index);
      const mesh = new Mesh(geometry, new MeshLambertMaterial({vertexColors: true, side: DoubleSide, flatShading: true,
        transparent: isOther, opacity: isOther ? 0.35 : 1, polygonOffset: true, polygonOffsetFactor: b, polygonOffsetUnits: b}));   // of those in one place the first
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = !isOther;
      mesh.userData.colour = new Color(bodyColours[(data.bodies.length + b) % bodyColours.length]);
      this.scene.add(mesh);
      const frames: Quaternion[] = [];
      for (let i = 0; i + 3 < beam.frames.length; i += 4) {
        const [w, x, y, z] = beam.frames.slice(i, i + 4);
        frames.push(new Quaternion(x, y, z, w));
      }
      this.beams.push({name: beam.name, run, mesh, around, elements, rings, first: beam.first, outline: beam.outline, frames});
    });
  }

  /// Arrows of runs that are compared have the same scale.
  private findScales() {
    const scales = {force: 0, percussion: 0, speed: 0, momentum: 0};
    const raise = (key: keyof typeof scales, value: number) => { if (Number.isFinite(value)) scales[key] = Math.max(scales[key], Math.abs(value)); };
    for (const run of this.compared) {
      const all = (key: keyof typeof scales, name: string, factor = 1) => {
        const series = run.find(name);
        if (series) for (const value of run.values(series)) raise(key, factor * value);
        return series !== undefined;
      };
      for (const {name} of run.meta.scene?.contacts ?? []) {
        all('force', `contacts/${name}/normal_force`);
        if (!all('percussion', `contacts/${name}/normal_percussion`)) all('percussion', `contacts/${name}/normal_impulse`);
      }
      for (const {name} of run.series) if (/^pairs\/.*\/force\/[xyz]$/.test(name)) all('force', name);
      for (const {name, mass = 0} of (run.meta.scene?.bodies ?? []).slice(0, 500)) for (const k of ['x', 'y', 'z']) {
        all('speed', `bodies/${name}/velocity/${k}`);
        all('momentum', `bodies/${name}/velocity/${k}`, mass);
      }
      for (let f = 0; f < run.meta.points.length; f += Math.ceil(run.meta.points.length / 50)) {
        const points = run.points(f);
        for (let i = 0; i < points.length; i += 8) raise('force', Math.hypot(points[i + 3], points[i + 4], points[i + 5]));
      }
    }
    this.forceScale = scales.force || 1;
    this.percussionScale = scales.percussion || 1;
    this.speedScale = scales.speed || 1;
    this.momentumScale = scales.momentum || 1;
  }

  get planar() { return this.data.planar; }
  get bodyNames() { return this.data.bodies.map(b => b.name); }
  get canvas() { return this.renderer.domElement; }

  setTheme() {
    this.scene.background = new Color(theme().scene);
    this.markers.forEach((mesh, kind) => (mesh.material as MeshBasicMaterial).color.set(theme().status[kind]));
    this.drawContacts(this.run.frame(this.frame), this.frame);
    for (const material of this.grounds) material.color.set(theme().ground);
    this.wanted = true;
  }

  /// What is to be seen: all of the motion, or the bodies as they stand in this frame.
  private extent(which: Preset): {centre: Vector3; sides: Vector3} {
    const all = {centre: this.centre, sides: this.sides};
    if (which !== 'near') return all;
    const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate(), at = new Vector3();
    const {places} = this.run.frame(this.frame);
    for (let i = 0; i < places.length; i += 3) {
      at.fromArray(places, i);
      if (Number.isFinite(at.x + at.y + at.z)) { low.min(at); high.max(at); }
    }
    if (!(low.x <= high.x)) return all;
    const shapeless = this.data.bodies.some(body => !body.parts.length);
    const reach = 2 * Math.min(Math.max(this.largestPart(), shapeless ? 0.04 * this.size : 0), this.size / 2);
    return {centre: low.clone().add(high).multiplyScalar(0.5), sides: high.sub(low).addScalar(reach)};
  }

  /// From where the scene is seen, until somebody turns it.
  private fitted: Preset | null = 'iso';

  preset(which: Preset) {
    this.resize();
    this.fit(which);
  }

  private fit(which: Preset) {
    const {centre, sides} = this.extent(which), {camera} = this;
    this.seen = which === 'near' ? Math.min(sides.length() / this.size, 1) : 1;
    const up = camera.up, z = Math.abs(up.z) > 0.5;
    const ways: Record<Preset, Vector3> = {
      iso: z ? new Vector3(0.55, -1, 0.45) : new Vector3(0.45, 0.4, 1),
      front: z ? new Vector3(0, -1, 0) : new Vector3(0, 0, 1),
      side: new Vector3(1, 0, 0),
      top: up.clone().add(new Vector3(1e-4, -2e-4, 1e-4)),
      near: camera.position.clone().sub(this.controls.target),
    };
    const way = this.data.planar ? new Vector3(0, 0, 1) : ways[which].normalize();
    let distance = this.size;
    if (camera instanceof OrthographicCamera) {
      const half = Math.max(sides.y / camera.top, sides.x / camera.right, 1e-6);
      camera.zoom = which === 'near' ? Math.max(1.75 / half, 1) : 1;
    } else {
      // As near as all corners are seen.
      const aside = up.clone().cross(way).normalize(), above = way.clone().cross(aside), high = Math.tan((35 / 2) * Math.PI / 180);
      distance = 0;
      for (let k = 0; k < 8; ++k) {
        const corner = sides.clone().multiply(new Vector3(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5));
        const part = Math.max(Math.abs(corner.dot(aside)) / camera.aspect, Math.abs(corner.dot(above)));
        distance = Math.max(distance, corner.dot(way) + 1.06 * part / high);
      }
      // The ground too, where it is not much larger.
      let wide = distance;
      if (which !== 'near') for (const at of this.groundPoints) {
        const point = at.clone().sub(centre);
        wide = Math.max(wide, point.dot(way) + 1.03 * Math.max(Math.abs(point.dot(aside)) / camera.aspect, Math.abs(point.dot(above))) / high);
      }
      distance = Math.min(wide, 1.3 * distance);
      distance = Math.max(distance, 0.02 * this.size);
    }
    this.controls.target.copy(centre);
    camera.position.copy(centre).addScaledVector(way, distance);
    this.lastFollowed = null;
    camera.updateProjectionMatrix();
    this.controls.update();
    this.fitted = which === 'near' ? null : which;
    if (this.arrows) {
      this.drawContacts(this.run.frame(this.frame), this.frame);
      this.placeHalos(this.run.frame(this.frame));
      this.followBody(this.run.frame(this.frame));   // from here on
    }
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
    this.fitted = null;
    this.wanted = true;
  }

  private resize() {
    this.setSize(Math.max(this.element.clientWidth, 1), Math.max(this.element.clientHeight, 1), Math.min(devicePixelRatio, 2));
  }

  private setSize(width: number, height: number, ratio: number) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.pixels = height * ratio;
    const aspect = width / height;
    if (this.camera instanceof PerspectiveCamera) {
      this.camera.aspect = aspect;
    } else {
      const half = 0.56 * Math.max(this.sides.y, this.sides.x / aspect, 0.05 * this.size);
      this.camera.left = -half * aspect; this.camera.right = half * aspect;
      this.camera.top = half; this.camera.bottom = -half;
      this.camera.near = -100 * this.size; this.camera.far = 100 * this.size;
    }
    this.camera.updateProjectionMatrix();
    this.wanted = true;
  }
  private pixels = 600;

  /// The scene in a frame, so large, as pixels of a canvas.
  picture(f: number, width: number, height: number): HTMLCanvasElement {
    this.setSize(width, height, 1);
    if (this.fitted && !this.shown.follow) this.fit(this.fitted);
    this.show(f);
    this.wanted = true;
    this.render();
    const made = document.createElement('canvas');
    made.width = width;
    made.height = height;
    made.getContext('2d', {willReadFrequently: true})!.drawImage(this.canvas, 0, 0);
    this.resize();
    return made;
  }

  /// Puts everything where it is in a frame.
  show(f: number) {
    this.frame = f;
    const frame = this.run.frame(f), time = this.run.frameTimes[f];
    const frameOf = (run: Run) => (run === this.run ? f : run.frameAt(time));
    for (const group of this.instances) this.placeInstances(group, group.run.frame(frameOf(group.run)));
    for (const grains of this.grains) grains.show(frame.places);
    this.placeHalos(frame);
    for (const beam of this.beams) this.placeBeam(beam, frameOf(beam.run));
    this.drawScale();
    this.renderer.shadowMap.needsUpdate = true;
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

  private placeBeam(beam: BeamMesh, f: number) {
    const {run} = beam, frame = run.frame(f);
    const position = beam.mesh.geometry.getAttribute('position') as BufferAttribute;
    const colours = beam.mesh.geometry.getAttribute('color') as BufferAttribute;
    const at = new Vector3(), turn = new Quaternion(), corner = new Vector3(), colour = new Color();
    const sample = run.meta.frames[f], quantity = this.shown.beamQuantity;
    const values = quantity ? Array.from({length: beam.elements}, (_, e) => {
      const series = run.find(`beams/${beam.name}/${quantity}/${e + 1}`);
      return series ? run.values(series) : null;
    }) : [];
    const range = quantity ? this.rangeOfBeams(quantity) : null;
    for (let e = 0; e < beam.elements; ++e) {
      if (quantity && values[e]) {
        this.colourAt((values[e]![sample] - range![0]) / (range![1] - range![0]), colour);
      } else if (quantity) {
        colour.set(0xffffff);   // it has none of this, which is no colour of the scale
      } else {
        colour.copy(beam.mesh.userData.colour);
      }
      const [one, other] = [0, 1].map(end => {
        this.placeOf(frame, beam.first + e + end, at, turn);
        const section = turn.clone().multiply(beam.frames[2 * e + end] ?? new Quaternion());
        return {at: at.clone(), section, along: new Vector3(1, 0, 0).applyQuaternion(section)};
      });
      const length = one.at.distanceTo(other.at), last = beam.rings - 1;
      for (let k = 0; k <= last; ++k) {
        // Hermite's cubic between the nodes, along the axis of the section at both.
        const s = k / last, r = 1 - s;
        at.copy(one.at).multiplyScalar(r * r * (1 + 2 * s)).addScaledVector(other.at, s * s * (1 + 2 * r))
            .addScaledVector(one.along, length * r * r * s).addScaledVector(other.along, -length * s * s * r);
        turn.slerpQuaternions(one.section, other.section, s);
        for (let i = 0; i < beam.around; ++i) {
          corner.set(0, beam.outline[2 * i], beam.outline[2 * i + 1]).applyQuaternion(turn).add(at);
          const point = (beam.rings * e + k) * beam.around + i;
          position.setXYZ(point, corner.x, corner.y, corner.z);
          colours.setXYZ(point, colour.r, colour.g, colour.b);
        }
      }
    }
    position.needsUpdate = colours.needsUpdate = true;
    beam.mesh.geometry.computeVertexNormals();
    beam.mesh.geometry.boundingSphere = null;
  }

  private colourAt(part: number, colour: Color) {
    const at = Math.min(Math.max(Number.isFinite(part) ? part : 0, 0), 1) * (scaleColours.length - 1), k = Math.min(Math.floor(at), scaleColours.length - 2);
    colour.set(scaleColours[k]).lerp(new Color(scaleColours[k + 1]), at - k);
  }

  private beamScales = new Map<string, [number, number]>();
  /// One scale for all beams and all runs that are compared, or colours would not compare; zero is in it.
  private rangeOfBeams(quantity: string): [number, number] {
    if (!this.beamScales.has(quantity)) {
      let low = 0, high = 0;
      const name = new RegExp(`^beams/.*/${quantity}/[0-9]+$`);
      for (const run of this.compared) for (const series of run.series) if (name.test(series.name)) {
        for (const value of run.values(series)) if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
      }
      this.beamScales.set(quantity, low < high ? [low, high] : [0, 1]);
    }
    return this.beamScales.get(quantity)!;
  }

  private unitOfBeams(quantity: string): string {
    const name = new RegExp(`^beams/.*/${quantity}$`);
    return this.run.meta.channels.find(c => name.test(c.path))?.unit ?? '';
  }

  private drawScale() {
    const quantity = this.shown.beamQuantity;
    if (this.scale.dataset.of === quantity) return;
    this.scale.dataset.of = quantity;
    this.scale.replaceChildren();
    if (!quantity) return;
    const [low, high] = this.rangeOfBeams(quantity), unit = this.unitOfBeams(quantity), bar = element('span', 'bar');
    bar.style.background = `linear-gradient(90deg, ${scaleColours.map(c => '#' + new Color(c).getHexString()).join(', ')})`;
    this.scale.append(element('span', '', `${quantity.replaceAll('_', ' ')}${unit ? ` [${unit}]` : ''}`), bar, element('span', 'ends', format(low, 3)));
    // Zero, where it is.
    if (low < 0 && high > 0) {
      const zero = element('span', 'zero', '0');
      zero.style.left = `${100 * -low / (high - low)}%`;
      if (-low / (high - low) > 0.2 && high / (high - low) > 0.2) this.scale.append(zero);
    }
    this.scale.append(element('span', 'ends', format(high, 3)));
  }

  private drawContacts(frame: Frame, f: number) {
    const counts = [0, 0, 0, 0], mark = this.mark * Math.max(this.seen, 0.2), head = 0.025 * this.size * this.seen;
    const colours = theme().status;
    this.markerNames = [[], [], [], []];
    this.arrows.begin();
    const reach = 0.25 * this.size * this.seen * this.shown.arrowSize;
    const sample = this.run.meta.frames[f], before = f > 0 ? this.run.meta.frames[f - 1] : sample - 1;
    const at = new Vector3(), way = new Vector3(), along = new Vector3(), across = new Vector3();
    this.reactions = [];
    const put = (name: string, status: number, force: Vector3, strength: number, gap = NaN) => {
      if (!this.shown.contacts) return;
      if (name && this.reactions.length < 100) this.reactions.push({name, status, force: force.toArray()});
      const kind = Math.min(Math.max(Math.round(status) || 0, 0), 3);
      this.markers[kind].setMatrixAt(counts[kind], new Matrix4().makeScale(mark, mark, mark).setPosition(at));
      this.markerNames[kind].push({name, force: force.length(), gap});
      ++counts[kind];
      if (this.shown.forces && kind > 0) {
        this.arrows.add(at, force.clone().multiplyScalar(reach * strength), new Color(colours[kind]), head);
      }
    };
    this.data.contacts.forEach(({name}, c) => {
      at.fromArray(frame.touches, 3 * c);
      way.fromArray(frame.normals, 3 * c);
      if (!Number.isFinite(at.x + at.y + at.z)) return;
      const {status, force, percussion, impulse, friction, blow, gap: gapSeries} = this.contactSeries[c];
      // The whole of a reaction, from its parts along normal and tangents.
      const reaction = (normal: number, parts: (Series | undefined)[], i: number) => {
        const all = way.clone().multiplyScalar(normal), one = along.fromArray(frame.tangents, 3 * c);
        parts.forEach((series, k) => {
          if (series) all.addScaledVector(k ? across.crossVectors(way, one) : one, this.run.values(series)[i] || 0);
        });
        return all;
      };
      let hit = 0, when = sample;
      const hits = percussion ? this.run.values(percussion) : null;
      const impulses = !hits && impulse && force ? this.run.values(impulse) : null;
      for (let i = Math.max(before + 1, 0); i <= sample; ++i) {
        // Where a scheme does not tell them apart, an impulse without a lasting force is an impact.
        const now = hits ? hits[i] : impulses && this.run.values(force!)[i] === 0 ? impulses[i] : 0;
        if (now > hit) { hit = now; when = i; }
      }
      const state = status ? this.run.values(status)[sample] : 0;
      // What is far apart is not worth a mark.
      const gap = gapSeries ? this.run.values(gapSeries)[sample] : 0;
      if (hit > 1e-9 * this.percussionScale) put(name, 3, reaction(hit, blow, when), 0.2 / hit + 0.8 / this.percussionScale, gap);
      else if (state > 0 || !(gap > 0.1 * this.size)) put(name, state, reaction(force ? this.run.values(force)[sample] || 0 : 0, friction, sample), 1 / this.forceScale, gapSeries ? gap : NaN);
    });
    const points = this.run.points(f);
    for (let i = 0; i < points.length; i += 8) {
      at.fromArray(points, i);
      way.fromArray(points, i + 3);
      put('', points[i + 6], way, 1 / this.forceScale, points[i + 7]);
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
    if (this.shown.momenta) this.drawMomenta(frame, sample, reach, head);
    this.arrows.end();
    this.markers.forEach((mesh, kind) => {
      mesh.count = counts[kind];
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    });
  }

  /// From the centres of mass; their velocity is that of the frame and that about it.
  private drawMomenta(frame: Frame, sample: number, reach: number, head: number) {
    const colour = new Color(theme().momentum), at = new Vector3(), turn = new Quaternion();
    const read = (series: (Series | undefined)[]) => new Vector3(...[0, 1, 2].map(k => (series[k] ? this.run.values(series[k]!)[sample] || 0 : 0)));
    this.data.bodies.slice(0, 2000).forEach((body, b) => {
      if (!body.mass) return;
      this.placeOf(frame, body.mover, at, turn);
      const velocity = read(this.velocitySeries[b]);
      if (body.centre) {
        const centre = new Vector3().fromArray(body.centre);
        const [one] = this.spinSeries[b];
        const spin = one ? read(this.spinSeries[b]) : new Vector3(0, 0, this.planarSpin(body.name, sample));
        velocity.add(spin.cross(centre).applyQuaternion(turn));
        at.add(centre.applyQuaternion(turn));
      }
      this.arrows.add(at, velocity.multiplyScalar(1.2 * reach * body.mass / this.momentumScale), colour, head);
    });
  }

  private planarSpin(name: string, sample: number): number {
    const series = this.run.find(`bodies/${name}/angular_velocity`);
    return series ? this.run.values(series)[sample] : 0;
  }

  private drawLinks(frame: Frame) {
    this.links.visible = this.joints.visible = this.shown.links;
    if (!this.shown.links) return;
    const points: number[] = [], at = new Vector3(), turn = new Quaternion();
    let joints = 0;
    const radius = 0.007 * this.size;
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

  /// The selected body, or the middle of all.
  private followBody(frame: Frame) {
    if (!this.shown.follow) { this.lastFollowed = null; return; }
    const body = this.selected ? this.data.bodies.find(b => b.name === this.selected!.name) : undefined;
    const now = new Vector3(), at = new Vector3();
    if (body) {
      now.fromArray(frame.places, 3 * body.mover);
    } else {
      const count = frame.places.length / 3;
      for (let i = 0; i < count; ++i) now.addScaledVector(at.fromArray(frame.places, 3 * i), 1 / count);
    }
    if (!Number.isFinite(now.x + now.y + now.z)) return;
    if (!this.lastFollowed) this.lastFollowed = body ? this.controls.target.clone() : now.clone();
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
    const found = this.meet(event);
    return found && found.name ? {kind: found.kind, name: found.name} : null;
  }

  /// What is under the mouse, and what there is to say of it.
  private meet(event: PointerEvent): (Picked & {text: string}) | null {
    const box = this.renderer.domElement.getBoundingClientRect();
    const at = new Vector2(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height);
    const ray = new Raycaster();
    ray.setFromCamera(at, this.camera);
    for (const kind of [3, 2, 1, 0]) {
      const [hit] = ray.intersectObject(this.markers[kind]);
      if (hit?.instanceId === undefined) continue;
      const {name, force, gap} = this.markerNames[kind][hit.instanceId];
      const parts = [`${name || 'contact'}: ${statusNames[kind]}`];
      if (kind > 0) parts.push(`${format(force, 4)} ${kind === 3 ? 'N s' : 'N'}`);
      if (Number.isFinite(gap)) parts.push(`gap ${format(gap, 3)} m`);
      return {kind: 'contact', name, text: parts.join(', ')};
    }
    let nearest: (Picked & {text: string}) | null = null, distance = Infinity;
    const sample = this.run.meta.frames[this.frame];
    const body = (b: number, run: Run): Picked & {text: string} => {
      const {name} = run.meta.scene!.bodies[b];
      const velocity = run === this.run ? this.velocitySeries[b].map(s => (s ? run.values(s)[sample] : 0)) : [];
      return {kind: 'body', name, text: `${run === this.run ? '' : `${run.meta.name}: `}${name}${this.velocitySeries[b]?.[0] && velocity.length ? `: ${format(Math.hypot(...velocity), 4)} m/s` : ''}`};
    };
    for (const {run, mesh, bodies} of this.instances) {
      const [hit] = ray.intersectObject(mesh);
      if (hit?.instanceId === undefined || hit.distance >= distance) continue;
      distance = hit.distance;
      nearest = body(bodies[hit.instanceId], run);
    }
    for (const grains of this.grains) {
      const hit = grains.meet(ray.ray.origin, ray.ray.direction);
      if (!hit || hit[1] >= distance) continue;
      distance = hit[1];
      nearest = body(hit[0], this.run);
    }
    const quantity = this.shown.beamQuantity;
    for (const beam of this.beams) {
      const [hit] = ray.intersectObject(beam.mesh);
      if (!hit || hit.distance >= distance) continue;
      distance = hit.distance;
      const e = Math.floor((hit.faceIndex ?? 0) / (2 * beam.around * (beam.rings - 1))) + 1;
      const series = quantity ? beam.run.find(`beams/${beam.name}/${quantity}/${e}`) : undefined;
      nearest = {kind: 'beam', name: beam.name, text: `${beam.name}, element ${e}` + (series
          ? `: ${quantity.replaceAll('_', ' ')} ${format(beam.run.values(series)[beam.run.meta.frames[beam.run === this.run ? this.frame : beam.run.frameAt(this.run.frameTimes[this.frame])]], 4)} ${series.unit}` : '')};
    }
    return nearest;
  }

  private showHint() {
    const event = this.pointed;
    if (!event) return;
    this.pointed = null;
    const found = this.meet(event);
    this.hint.hidden = !found;
    if (!found) return;
    this.hint.textContent = found.text;
    const box = this.element.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const left = x > 0.6 * box.width;
    Object.assign(this.hint.style, {left: left ? '' : `${x + 14}px`, right: left ? `${box.width - x + 8}px` : '', top: `${Math.min(y + 12, box.height - 30)}px`});
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
    const colourOf = (scene: SceneData) => (body: number) => {
      const colour = new Color(bodyColours[body % bodyColours.length]);
      return picked?.kind === 'body' && scene.bodies[body].name !== picked.name ? colour.lerp(new Color(theme().scene), 0.55) : colour;
    };
    for (const {run, mesh, bodies} of this.instances) {
      const colour = colourOf(run.meta.scene!);
      bodies.forEach((body, i) => mesh.setColorAt(i, colour(body)));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    for (const grains of this.grains) grains.setColours(colourOf(this.data));
    this.show(this.frame);
  }

  /// Draws when something has changed.
  render() {
    this.showHint();
    if (!this.wanted) return;
    this.wanted = false;
    // What is cut off would still have a shadow.
    const shadows = this.shown.shadows && !this.data.planar && this.shown.section === 'none';
    if (this.sun.castShadow !== shadows) {
      this.renderer.shadowMap.enabled = this.sun.castShadow = shadows;
      this.renderer.shadowMap.needsUpdate = true;
      this.scene.traverse(object => { const {material} = object as Mesh; if (material && !Array.isArray(material)) material.needsUpdate = true; });
    }
    const away = this.camera instanceof PerspectiveCamera ? this.camera.position.distanceTo(this.controls.target) * Math.tan(Math.PI * 17.5 / 180)
                                                          : this.camera.top / this.camera.zoom;
    for (const grains of this.grains) grains.setView(this.pixels, this.renderer.clippingPlanes[0] ?? null, 0.5 * this.pixels / away);
    this.renderer.render(this.scene, this.camera);
  }

  dispose() {
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();   // browsers have room for a dozen
    this.element.remove();
  }
}
