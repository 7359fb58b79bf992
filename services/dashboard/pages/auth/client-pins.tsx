import { trust } from "../../api/trust.ts"
import { Facts, Id } from "../../ui/basics.tsx"

/** The second half of a key set of 260 digits: the key that signs. */
const SIGNING_HALF = 130

/** Public keys that published clients pin, and how they get them. */
export function ClientPins() {
  const pins = trust.value?.pins ?? {}
  const half = (name: string) => {
    const key = pins[name]?.slice(SIGNING_HALF)
    return key ? <Id id={key} /> : undefined
  }
  return (
    <div class="card stack">
      <p>
        Published clients pin public keys of the service that they were written for. A login page needs those
        of this deployment: <code>countersign pins apply</code> writes them into its packages.
      </p>
      <Facts
        facts={[
          ["Signer", half("signerPublicKey")],
          ["Notarizer", half("notarizerPublicKey")],
        ]}
      />
      <pre tabIndex={0} aria-label="Command">
        npx countersign pins apply
      </pre>
      <p class="quiet small">
        From the pins that this browser trusts. docs/clients.md says which clients need them.
      </p>
    </div>
  )
}
