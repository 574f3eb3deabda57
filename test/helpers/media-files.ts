import { crc32, deflateSync } from "node:zlib"

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** Returns a whole PNG in one shade of grey; `padding` is the length of a text in it, and `emptyChunks` the number of empty texts. */
export const createPng = (width: number, height: number, { grey = 0, padding = 0, emptyChunks = 0 } = {}): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  const line = Buffer.alloc(width + 1, grey)
  line[0] = 0
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    ...(padding === 0 ? [] : [chunk("tEXt", Buffer.alloc(padding, "x"))]),
    ...Array.from({ length: emptyChunks }, () => chunk("tEXt", Buffer.alloc(0))),
    chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

/** Returns what a JPEG has besides its picture. */
export const createJpeg = (width: number, height: number): Buffer => {
  const size = [height >> 8, height & 0xff, width >> 8, width & 0xff]
  const application = [0xff, 0xe0, 0, 4, 1, 2]
  const frame = [0xff, 0xc0, 0, 11, 8, ...size, 1, 1, 0x11, 0]
  const scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]
  return Buffer.from([0xff, 0xd8, ...application, ...frame, ...scan, 1, 2, 3, 0xff, 0xd9])
}

export const createGif = (width: number, height: number): Buffer => {
  const size = [width & 0xff, width >> 8, height & 0xff, height >> 8]
  const colours = [0, 0, 0, 255, 255, 255]
  const comment = [0x21, 0xfe, 2, 0x68, 0x69, 0]
  const image = [0x2c, 0, 0, 0, 0, ...size, 0, 2, 2, 0x4c, 1, 0]
  return Buffer.from([...Buffer.from("GIF89a"), ...size, 0x80, 0, 0, ...colours, ...comment, ...image, 0x3b])
}

/** Returns the headers of a lossless WebP. */
export const createWebp = (width: number, height: number): Buffer => {
  const body = Buffer.alloc(22)
  body.write("WEBPVP8L", "latin1")
  body.writeUInt32LE(10, 8)
  body[12] = 0x2f
  body.writeUInt32LE((width - 1) | ((height - 1) << 14), 13)
  const head = Buffer.alloc(8)
  head.write("RIFF", "latin1")
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}

/** Returns a PDF with empty pages. `note` is added to its trailer. */
export const createPdf = (pages: number, note = ""): Buffer => {
  const page = (index: number): string => `${index + 3} 0 obj << /Type /Page /Parent 2 0 R >> endobj\n`
  const all = Array.from({ length: pages }, (_, index) => index)
  return Buffer.from(
    [
      "%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n",
      `2 0 obj << /Type /Pages /Kids [${all.map((index) => `${index + 3} 0 R`).join(" ")}] /Count ${pages} >> endobj\n`,
      ...all.map(page),
      `trailer << /Root 1 0 R ${note} >>\nstartxref\n0\n%%EOF\n`,
    ].join(""),
    "latin1",
  )
}
