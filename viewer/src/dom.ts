// Elements are made with text only: nothing that comes with results is ever read as markup.
export function element(tag: string, className = '', text = ''): HTMLElement {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/// Short, with so many digits at most.
export function format(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) return String(Number(value.toPrecision(digits)));
  return Number(value.toPrecision(digits)).toExponential().replace('e+', 'e');
}
