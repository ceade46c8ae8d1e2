// A ZIP archive without compression (PNG is compressed already), for numbered frames.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

export function crc32(data: Uint8Array): number {
  let c = 0xffffffff;
  for (let k = 0; k < data.length; k++) c = TABLE[(c ^ data[k]!) & 255]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

const DATE_1980 = 0x21; // 1 January 1980: the same frames give the same archive

function header(signature: number, fields: [bytes: 2 | 4, value: number][]): Uint8Array {
  const out = new Uint8Array(4 + fields.reduce((n, [bytes]) => n + bytes, 0));
  const view = new DataView(out.buffer);
  view.setUint32(0, signature, true);
  let at = 4;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return out;
}

export function makeZip(files: { name: string; data: Uint8Array }[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const file of files) {
    const name = new TextEncoder().encode(file.name);
    const crc = crc32(file.data);
    const size = file.data.length;
    const common: [2 | 4, number][] = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, DATE_1980], [4, crc], [4, size], [4, size], [2, name.length], [2, 0]];
    const local = header(0x04034b50, common);
    parts.push(local, name, file.data);
    directory.push(header(0x02014b50, [[2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]), name);
    offset += local.length + name.length + size;
  }
  const size = directory.reduce((n, d) => n + d.length, 0);
  const end = header(0x06054b50, [[2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, offset], [2, 0]]);
  return [...parts, ...directory, end];
}
