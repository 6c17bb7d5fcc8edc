// Okabe and Ito's colours, which most colour-blind people tell apart.
export const curveColours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f6a00', '#5b5b8c'];
// Muted, so that forces stand out before them.
export const bodyColours = [0x7fa6c9, 0xd9a679, 0x86b8a2, 0xc49ab4, 0xd8c37a, 0x93c3dd, 0xa9a178, 0x9a9ac2];
export const statusNames = ['open', 'stick', 'slip', 'impact'];

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/// Of statuses: open, stick, slip, impact.
export function theme() {
  return isDark() ? {status: [0x9aa0a6, 0x56b4e9, 0xff8f3d, 0xff6fbb], scene: 0x1d2127, ground: 0x39404a, velocity: 0x7fd1b0, momentum: 0xc9b3ff, text: '#d5d9de', hatch: '#eef1f4', grid: '#343a43', cursor: '#ff9d5c'}
                  : {status: [0x9aa0a6, 0x0072b2, 0xd55e00, 0xcc2288], scene: 0xf4f6f8, ground: 0xd3d9e0, velocity: 0x00795a, momentum: 0x6a3fb5, text: '#30363d', hatch: '#24292f', grid: '#e3e7eb', cursor: '#c2410c'};
}

/// From dark to light, so that grey tells the same; cividis is seen alike by most colour-blind people.
export const scaleColours = [0x00224e, 0x414d6b, 0x7d7c78, 0xbcaf6f, 0xfee838];
