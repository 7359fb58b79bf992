import { useEffect, useState } from "preact/hooks"
import { sha256Hex } from "../api/encoding.ts"
import { Id } from "./basics.tsx"

/** The fingerprint of a request, with words that two people can compare by phone. */
export function Fingerprint({ body, fingerprint }: { body?: string; fingerprint?: string }) {
  const [shown, setShown] = useState<{ digest: string; words: string } | undefined>(undefined)
  useEffect(() => {
    let isCurrent = true
    const show = async () => {
      const digest = body === undefined ? (fingerprint ?? "").replace("sha256:", "") : await sha256Hex(body)
      const { wordsOf } = await import("../../../signer/core/fingerprint-words.ts")
      if (isCurrent) setShown({ digest, words: wordsOf(digest) })
    }
    void show()
    return () => {
      isCurrent = false
    }
  }, [body, fingerprint])
  if (shown === undefined) return <span class="skeleton" style={{ width: "16rem" }} />
  return (
    <span class="line small">
      <Id id={`sha256:${shown.digest}`} />
      <span>
        <span class="quiet">words</span> <b class="mono">{shown.words}</b>
      </span>
    </span>
  )
}
