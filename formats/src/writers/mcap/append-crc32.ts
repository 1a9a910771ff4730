const polynomial = 0xedb88320
const topBit = 0x8000_0000

/** Product of two polynomials over GF(2), reduced; the highest bit is the coefficient of 1. */
function multiply(one: number, other: number): number {
  let product = 0
  let factor = other
  for (let bit = topBit; bit !== 0; bit >>>= 1) {
    if (one & bit) product ^= factor
    factor = factor & 1 ? (factor >>> 1) ^ polynomial : factor >>> 1
  }
  return product
}

/** x to the power of 2 ** index. */
const powers: number[] = [topBit >>> 1]
while (powers.length < 64) powers.push(multiply(powers.at(-1) ?? 0, powers.at(-1) ?? 0))

/**
 * The CRC-32 of bytes of which the first part has the one, and the last `lastBytes` the other: what was summed up is not gone through
 * again. zlib has the same as `crc32_combine`, which Node does not expose.
 */
export function appendCrc32(first: number, last: number, lastBytes: number): number {
  let shift = topBit
  // A byte is eight powers of x.
  for (let [rest, index] = [lastBytes, 3]; rest > 0; rest = Math.floor(rest / 2), index++)
    if (rest % 2 === 1) shift = multiply(powers[index] ?? 0, shift)
  return (multiply(shift, first) ^ last) >>> 0
}
