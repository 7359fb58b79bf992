// Inputs of a batch in one file, each behind its length in four bytes.

export function pack(inputs: readonly Buffer[]): Buffer {
  return Buffer.concat(
    inputs.flatMap((input) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(input.length)
      return [length, input]
    }),
  )
}

export function unpack(file: Buffer): Buffer[] {
  const inputs: Buffer[] = []
  for (let at = 0; at < file.length; ) {
    const from = at + 4
    at = from + file.readUInt32BE(at)
    inputs.push(file.subarray(from, at))
  }
  return inputs
}
