import type { Configuration } from "./configuration.ts"
import { attempt, element, field, onClick, onSubmit } from "./elements.ts"
import { goToIssuer, returnedToken } from "./issuer.ts"
import { createPasskey, type OpenWallet, openWallet, sendCode, sign, startKit, useIdToken } from "./kit.ts"

const configuration = (await (await fetch("/configuration.json")).json()) as Configuration
const kit = await startKit(configuration)
let enterCode: Awaited<ReturnType<typeof sendCode>> | undefined
let wallet: OpenWallet | undefined

onSubmit("contact", askForCode)
onClick("another-code", askForCode)
onSubmit("code", async () => {
  await enterCode?.(field("digits").value.trim())
  await showWallet()
})
onClick("other-address", async () => {
  field("digits").value = ""
  show("contact")
})
onClick("use-passkey", async () => {
  await kit.loginWithPasskey()
  await showWallet()
})
onClick("create-passkey", async () => {
  await createPasskey(kit)
  await showWallet()
})
onClick("use-issuer", async () => goToIssuer(configuration.issuer, await kit.createApiKeyPair()))
onSubmit("signing", async () => {
  if (wallet === undefined) return
  const { signature, signer } = await sign(kit, wallet.account, field("message").value)
  const isGenuine = signer === wallet.account.address
  element("signature").textContent = signature
  const verdict = element("verdict")
  verdict.textContent = isGenuine
    ? `✓ Verified here: signed by ${signer}`
    : `✗ Not genuine: signed by ${signer}`
  verdict.className = `state ${isGenuine ? "good" : "bad"}`
  element("signed").hidden = false
})
onClick("log-out", async () => {
  await kit.logout()
  element("signed").hidden = true
  for (const name of ["email", "digits"]) field(name).value = ""
  await showWallet()
})

await attempt(async () => {
  try {
    const returned = returnedToken()
    if (returned !== undefined) await useIdToken(kit, returned.idToken, returned.publicKey)
  } finally {
    await showWallet()
  }
})

async function askForCode(): Promise<void> {
  const contact = field("email").value.trim()
  enterCode = await sendCode(kit, contact)
  element("sent-to").textContent = contact
  field("digits").value = ""
  show("code")
  field("digits").focus()
}

/** The wallet of whoever is logged in, else the ways to log in. */
async function showWallet(): Promise<void> {
  wallet = await openWallet(kit).catch((fault: unknown) => {
    show("contact")
    throw fault
  })
  if (wallet === undefined) return show("contact")
  element("user").textContent = wallet.userName
  element("address").textContent = wallet.account.address
  element("organization").textContent = wallet.organizationId
  const ends = new Date(wallet.endsAtMs)
  element("ends").textContent = ends.toLocaleTimeString()
  element("ends").setAttribute("datetime", ends.toISOString())
  show("wallet")
}

/** Shows one step, and hides the others. */
function show(step: "contact" | "code" | "wallet"): void {
  element("login").hidden = step === "wallet"
  element("wallet").hidden = step !== "wallet"
  element("contact").hidden = step !== "contact"
  element("code").hidden = step !== "code"
}
