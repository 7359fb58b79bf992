import { p256 } from "@noble/curves/nist.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"

type Shown = { fingerprint: string; votes: { message: string; publicKey: string; signature: string }[] }
type Payment = { signWith: string; unsignedTransaction: string }

/**
 * The parameters of a waiting activity, read from the bytes that the submitter stamped. The activity's other members are
 * the API's word: it could show `intent` as it likes. A vote names the fingerprint alone, which is the hash of these bytes.
 *
 * @throws if the bytes have another fingerprint, or the submitter's key did not stamp them
 */
export function stampedRequest({ fingerprint, votes }: Shown, submitterKey: string): Payment {
  const [submission] = votes
  if (submission === undefined) throw new Error("the activity shows no submission: do not vote")
  const body = utf8ToBytes(submission.message)
  if (fingerprint !== `sha256:${bytesToHex(sha256(body))}`)
    throw new Error("the request shown is not the one of this fingerprint: do not vote")
  const isStamped =
    submission.publicKey === submitterKey &&
    p256.verify(hexToBytes(submission.signature), body, hexToBytes(submitterKey), {
      format: "der",
      lowS: false,
    })
  if (!isStamped) throw new Error("the submitter's key did not stamp this request: do not vote")
  return (JSON.parse(submission.message) as { parameters: Payment }).parameters
}
