import { secp256k1 } from "@noble/curves/secp256k1.js"
import { ethereumAddress } from "../../../signer/core/address/ethereum.ts"
import { eip191Digest } from "../../../signer/core/stamp/large-body.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { printEither, type Terminal } from "../../terminal-client/terminal.ts"

/**
 * Verifies a message's signature by EIP-191 offline: the address that it gives must be the one named.
 *
 * @throws {CliError} usage; verificationFailed
 */
export function verifySignature(
  { message, signature, address }: { message: string; signature: string; address: string },
  options: { json?: boolean },
  terminal: Terminal,
): void {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw usage(`--address ${address}: not an address of Ethereum`)
  const signer = recover(message, signature)
  if (signer.toLowerCase() !== address.toLowerCase())
    throw new CliError(ExitCode.verificationFailed, `the signature is of ${signer}, not of ${address}`)
  printEither(terminal, options, { verified: true, address: signer }, [
    `verified: ${signer} signed this message`,
  ])
}

function recover(message: string, signature: string): string {
  const bytes = /^0x[0-9a-fA-F]{130}$/.test(signature) ? Buffer.from(signature.slice(2), "hex") : undefined
  const v = bytes?.[64] ?? 0
  if (bytes === undefined || ![0, 1, 27, 28].includes(v))
    throw usage("SIGNATURE: not 65 bytes in hexadecimal digits after 0x, as sign message prints them")
  try {
    const recovered = Uint8Array.from([v % 27, ...bytes.subarray(0, 64)])
    const options = { prehash: false } as const
    const point = secp256k1.recoverPublicKey(recovered, eip191Digest(Buffer.from(message)), options)
    return ethereumAddress(secp256k1.Point.fromBytes(point).toBytes(false))
  } catch (cause) {
    throw new CliError(ExitCode.verificationFailed, "the signature is of no key", { cause })
  }
}
