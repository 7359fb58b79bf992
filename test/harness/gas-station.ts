import { type Hex, hexToBigInt, hexToNumber, slice } from "viem"

export const STATION = "0x00000000008c57a1CE37836a5e9d36759D070d8c"
export const DELEGATE = "0x000066a00056CD44008768E2aF00696e19A30084"

/** Settings of a signer that has these contracts pinned. */
export const STATIONS = {
  COUNTERSIGN_SIGNER_GAS_STATIONS: `eip155:8453=${STATION}/${DELEGATE}/TKGasDelegate/1`,
} as const

/** EIP-712 types of the delegate's messages. */
export const EXECUTION_TYPES = {
  Call: [
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "data", type: "bytes" },
  ],
  Execution: [
    { name: "nonce", type: "uint128" },
    { name: "deadline", type: "uint32" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "data", type: "bytes" },
  ],
  BatchExecution: [
    { name: "nonce", type: "uint128" },
    { name: "deadline", type: "uint32" },
    { name: "calls", type: "Call[]" },
  ],
} as const

/** Parts of `signature(65) || nonce(16) || deadline(4) || data`. */
export function readPacked(packed: Hex) {
  const data = packed.length > 2 + 85 * 2 ? slice(packed, 85) : "0x"
  return {
    signature: slice(packed, 0, 65),
    nonce: hexToBigInt(slice(packed, 65, 81)),
    deadline: hexToNumber(slice(packed, 81, 85)),
    rest: data,
  }
}
