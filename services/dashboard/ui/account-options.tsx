// Accounts on a chain, as CAIP-10 ids: own ones by their names, and any other by its address.
import { useState } from "preact/hooks"
import { chainText } from "../../../signer/core/words/chains.ts"
import { type ListedOrganization, nameOf, useOrganization } from "../api/directory.ts"
import { followedChains } from "../words/chains.ts"
import type { Option } from "./options.tsx"
import { Picker } from "./picker.tsx"

const FORMATS: { readonly [namespace: string]: string } = {
  eip155: "ADDRESS_FORMAT_ETHEREUM",
  solana: "ADDRESS_FORMAT_SOLANA",
}

/** "First 0x8A3b… on Ethereum (eip155:1)": an account with the name that the organization gave its address. */
export function accountText(account: string, organization: ListedOrganization | undefined): string {
  const [namespace = "", reference = "", address = ""] = account.split(":")
  if (address === "") return account
  const name = nameOf(organization, address)
  const chain = chainText(`${namespace}:${reference}`)
  return `${name === undefined ? "" : `${name} `}${address} on ${chain}`
}

/** The accounts that were chosen, with two ways to add one. The request has the accounts of the list. */
export function ManyAccounts({
  label,
  value,
  onChange,
}: {
  label: string
  value: readonly string[]
  onChange: (value: readonly string[]) => void
}) {
  const { data } = useOrganization()
  const [chain, setChain] = useState(followedChains()[0]?.value ?? "")
  const [address, setAddress] = useState("")
  const add = (one: string) => onChange(value.includes(one) ? value : [...value, one])
  const addAddress = () => {
    const text = address.trim()
    if (text === "") return
    add(text.includes(":") ? text : `${chain}:${text}`)
    setAddress("")
  }
  return (
    <div class="stack">
      <label class="field">
        <span>Chain</span>
        <select value={chain} onInput={(event) => setChain(event.currentTarget.value)}>
          {followedChains().map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      </label>
      <Picker
        label={label}
        value={value}
        options={ownAccounts(data, chain)}
        labelOf={(one) => accountText(one, data)}
        onChange={onChange}
        most={MOST}
        placeholder="Search own accounts by name or address"
      />
      <span class="line">
        <input
          type="text"
          class="code grow"
          aria-label="Another address"
          placeholder="Address on this chain, or a whole account such as eip155:1:0x…"
          autocomplete="off"
          spellcheck={false}
          value={address}
          onInput={(event) => setAddress(event.currentTarget.value)}
          // An address that stays in the field would be shown and not sent.
          onBlur={addAddress}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return
            event.preventDefault()
            addAddress()
          }}
        />
        <button type="button" class="button" onClick={addAddress}>
          Add address
        </button>
      </span>
    </div>
  )
}

/** Accounts of one subscription, as the signer limits them. */
const MOST = 50

function ownAccounts(organization: ListedOrganization | undefined, chain: string): Option[] {
  const [namespace = ""] = chain.split(":")
  return (organization?.accounts ?? [])
    .filter(({ addressFormat }) => addressFormat === FORMATS[namespace])
    .map(({ address }) => ({
      value: `${chain}:${address}`,
      label: `${nameOf(organization, address) ?? ""} ${address}`.trim(),
    }))
}
