import { useEffect, useState } from "preact/hooks"
import type { Json } from "../api/client.ts"
import type { Decoded } from "../words/decoded.ts"
import { visible } from "../words/visible.ts"
import { Facts, Notice } from "./basics.tsx"

/** The content that a request signs. `isStamped`: the parameters are of the stamped request, rather than what the API shows. */
export function DecodedPayloads({ parameters, isStamped }: { parameters: Json; isStamped: boolean }) {
  const [decoded, setDecoded] = useState<Decoded[] | undefined>(undefined)
  useEffect(() => {
    let isCurrent = true
    const decode = async () => {
      const { decodeParameters } = await import("../words/payload.ts")
      if (isCurrent) setDecoded(decodeParameters(parameters))
    }
    void decode()
    return () => {
      isCurrent = false
    }
  }, [parameters])
  return (
    <>
      {decoded?.map(({ title, facts, warning }, index) => (
        <div key={index} class="card stack">
          <h3>{title}</h3>
          {warning !== undefined && (
            <Notice tone="bad">
              <p class="strong">{warning}</p>
            </Notice>
          )}
          <Facts
            facts={facts.map(([name, value]) => [
              name,
              value === "" ? "" : <Value key={name} text={value} />,
            ])}
          />
          <p class="quiet small">
            {isStamped
              ? "Read from the stamped bytes in this browser, as the signer reads them."
              : "As the API shows it: the stamped bytes were not read."}
          </p>
        </div>
      ))}
    </>
  )
}

function Value({ text }: { text: string }) {
  if (text === "") return null
  return <span class={/^(?:0x)?[0-9a-zA-Z]{20,}$/.test(text) ? "mono wrap" : "wrap"}>{visible(text)}</span>
}
