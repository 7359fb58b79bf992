// The card of an open wallet, which the pages share: the wallet's facts, a message to sign, and the signature that the page
// has verified.
import { element, field, onClick, onSubmit } from "./elements.ts"

/** An open wallet. `facts` are shown below its address and its organization. */
type Wallet = { address: string; organization: string; facts?: Readonly<Record<string, string>> }

/** Functions of a page for its wallet. */
type WalletActions = {
  /** A signature of the message, and the address that viem recovers from it. */
  sign: (message: string) => Promise<{ signature: string; signer: string }>
  /** Text of the button that closes the wallet. */
  closing: string
  close: () => Promise<void>
  /** A sentence about the signature. */
  note?: string
}

const CARD = `
  <h1>Wallet</h1>
  <dl id="facts"></dl>
  <form id="signing">
    <label for="message">Message</label>
    <textarea id="message" rows="3" required>pay the supplier</textarea>
    <button class="primary">Sign message</button>
  </form>
  <div id="signed" hidden aria-live="polite">
    <h2>Signature</h2>
    <code id="signature"></code>
    <p id="verdict" class="state"></p>
    <p id="note" class="muted"></p>
  </div>
  <button type="button" id="close"></button>`

/** Fills the section `wallet`. Returns the function that shows a wallet in it. */
export function walletCard({ sign, closing, close, note = "" }: WalletActions): (wallet: Wallet) => void {
  let address = ""
  element("wallet").innerHTML = CARD
  element("close").textContent = closing
  element("note").textContent = note
  onClick("close", async () => {
    element("signed").hidden = true
    await close()
  })
  onSubmit("signing", async () => {
    // A signature of an earlier message must not stand below a failure.
    element("signed").hidden = true
    const { signature, signer } = await sign(field("message").value)
    const isGenuine = signer === address
    element("signature").textContent = signature
    const verdict = element("verdict")
    verdict.textContent = isGenuine
      ? `✓ Verified here: signed by ${signer}`
      : `✗ Not genuine: signed by ${signer}`
    verdict.className = `state ${isGenuine ? "good" : "bad"}`
    element("signed").hidden = false
  })
  return (wallet) => {
    address = wallet.address
    const rows = { Address: address, Organization: wallet.organization, ...wallet.facts }
    element("facts").replaceChildren(...Object.entries(rows).flatMap(([name, text]) => row(name, text)))
  }
}

function row(name: string, text: string): HTMLElement[] {
  const [term, value, code] = ["dt", "dd", "code"].map((tag) => document.createElement(tag)) as [
    HTMLElement,
    HTMLElement,
    HTMLElement,
  ]
  term.textContent = name
  code.id = name.toLowerCase().replaceAll(" ", "-")
  code.textContent = text
  value.append(code)
  return [term, value]
}
