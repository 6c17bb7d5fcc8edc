// Crowds of balls as points that are drawn round: a hundred thousand cost what a hundred boxes do.
import {BufferAttribute, BufferGeometry, Color, Plane, Points, ShaderMaterial, Vector3, Vector4} from 'three';

const vertex = `
attribute float radius;
attribute vec3 colour;
varying vec3 vColour;
varying vec3 vCentre;
varying float vRadius;
uniform float pixels;   // of the height of the picture
uniform vec4 cut;
varying float vAside;
void main() {
  vec4 seen = modelViewMatrix * vec4(position, 1.0);
  vColour = colour; vCentre = seen.xyz; vRadius = radius;
  vAside = dot(cut.xyz, position) + cut.w;
  gl_Position = projectionMatrix * seen;
  gl_PointSize = max(1.5, pixels * radius * projectionMatrix[1][1] / gl_Position.w);
}`;
const fragment = `
varying vec3 vColour;
varying vec3 vCentre;
varying float vRadius;
varying float vAside;
uniform mat4 projectionMatrix;
uniform vec3 sun;
void main() {
  vec2 at = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float inside = 1.0 - dot(at, at);
  if (inside < 0.0 || vAside < 0.0) discard;
  vec3 normal = vec3(at, sqrt(inside));
#ifdef DEEP
  vec4 place = projectionMatrix * vec4(vCentre + vRadius * normal, 1.0);
  gl_FragDepth = 0.5 + 0.5 * place.z / place.w;
#endif
  float light = 0.5 + 0.55 * max(dot(normal, sun), 0.0) + 0.12 * normal.y;
  gl_FragColor = vec4(vColour * light, 1.0);
  #include <colorspace_fragment>
}`;

export class Grains {
  readonly object: Points<BufferGeometry, ShaderMaterial>;
  private place: BufferAttribute;
  private flat: ShaderMaterial;   // all of a ball as far away as its middle: much faster, and not seen of small ones
  private deep: ShaderMaterial;
  private largest: number;        // [m] radius
  private tint: BufferAttribute;

  constructor(private movers: number[], readonly bodies: number[], private radii: number[]) {
    const geometry = new BufferGeometry(), n = movers.length;
    this.place = new BufferAttribute(new Float32Array(3 * n), 3);
    this.tint = new BufferAttribute(new Float32Array(3 * n), 3);
    geometry.setAttribute('position', this.place);
    geometry.setAttribute('colour', this.tint);
    geometry.setAttribute('radius', new BufferAttribute(Float32Array.from(radii), 1));
    const uniforms = {pixels: {value: 600}, sun: {value: new Vector3(0.3, 0.7, 0.65).normalize()}, cut: {value: new Vector4(0, 0, 0, 1)}};
    const material = (defines: Record<string, string>) => new ShaderMaterial({vertexShader: vertex, fragmentShader: fragment, uniforms, defines});
    this.flat = material({});
    this.deep = material({DEEP: ''});
    this.largest = radii.reduce((most, radius) => Math.max(most, radius), 0);
    this.object = new Points(geometry, this.deep);
    this.object.frustumCulled = false;
  }

  setColours(colourOf: (body: number) => Color) {
    this.bodies.forEach((body, i) => { const c = colourOf(body); this.tint.setXYZ(i, c.r, c.g, c.b); });
    this.tint.needsUpdate = true;
  }

  show(places: Float32Array) {
    const out = this.place.array as Float32Array, {movers} = this;
    for (let i = 0; i < movers.length; ++i) {
      const m = 3 * movers[i], o = 3 * i;
      out[o] = places[m]; out[o + 1] = places[m + 1]; out[o + 2] = places[m + 2];
    }
    this.place.needsUpdate = true;
  }

  /// `scale`: pixels of a metre where the camera looks.
  setView(pixels: number, cut: Plane | null, scale: number) {
    this.object.material = 2 * this.largest * scale < 14 ? this.flat : this.deep;
    const {uniforms} = this.object.material;
    uniforms.pixels.value = pixels;
    if (cut) uniforms.cut.value.set(cut.normal.x, cut.normal.y, cut.normal.z, cut.constant); else uniforms.cut.value.set(0, 0, 0, 1);
  }

  /// The nearest ball that a ray meets: number of its body, and how far.
  meet(from: Vector3, way: Vector3): [body: number, distance: number] | null {
    const places = this.place.array, to = new Vector3();
    let found: [number, number] | null = null;
    for (let i = 0; i < this.movers.length; ++i) {
      to.fromArray(places, 3 * i).sub(from);
      const along = to.dot(way), aside = to.lengthSq() - along * along, r = this.radii[i];
      if (along <= 0 || aside > r * r) continue;
      const distance = along - Math.sqrt(r * r - aside);
      if (!found || distance < found[1]) found = [this.bodies[i], distance];
    }
    return found;
  }
}
