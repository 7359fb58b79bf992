// The filters of the list of activities.
import { titleOf } from "../../../../signer/core/words/labels.ts"
import { ALL_STATUSES, statusOf } from "../../words/activity.ts"
import { Choice } from "../../ui/list.tsx"
import { UserPicker } from "../../ui/user-picker.tsx"
import { type ActivityFilter, NO_FILTER } from "./filter.ts"

/** Types that people filter by; every other one by the palette or the command line. */
const TYPES = [
  "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
  "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
  "ACTIVITY_TYPE_ETH_SEND_TRANSACTION",
  "ACTIVITY_TYPE_CREATE_WALLET",
  "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
  "ACTIVITY_TYPE_EXPORT_WALLET",
  "ACTIVITY_TYPE_CREATE_USERS_V4",
  "ACTIVITY_TYPE_CREATE_POLICY_V3",
  "ACTIVITY_TYPE_UPDATE_POLICY_V2",
  "ACTIVITY_TYPE_STAMP_LOGIN",
  "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
]

export function ActivityFilters(part: {
  filter: ActivityFilter
  set: (changed: Partial<ActivityFilter>) => void
  setText: (text: string) => void
  showAll: () => void
}) {
  const { filter, set } = part
  const isFiltered = Object.keys(NO_FILTER).some((name) => filter[name as keyof ActivityFilter] !== "")
  return (
    <div class="filters grid-filters" role="search" aria-label="Activities">
      <label class="field grows">
        <span class="small quiet">Text</span>
        <input
          type="search"
          placeholder="Words, address, name"
          value={filter.text}
          onInput={(event) => part.setText(event.currentTarget.value)}
        />
      </label>
      <div class="field">
        <span class="small quiet">Person</span>
        <UserPicker
          label="Person"
          placeholder="Anybody"
          value={[filter.person].filter((id) => id !== "")}
          onChange={([person = ""]) => set({ person })}
        />
      </div>
      <Day label="From" value={filter.from} onChange={(from) => set({ from })} />
      <Day label="Until" value={filter.until} onChange={(until) => set({ until })} />
      <Choice
        label="Status"
        value={filter.status}
        options={ALL_STATUSES.map((one) => [one, statusOf(one)[0]])}
        onChange={(status) => set({ status })}
      />
      <Choice
        label="Type"
        value={filter.type}
        options={TYPES.map((one) => [one, titleOf(one)])}
        onChange={(type) => set({ type })}
      />
      {isFiltered && (
        <button type="button" class="button plain" onClick={part.showAll}>
          Show all
        </button>
      )}
    </div>
  )
}

function Day(part: { label: string; value: string; onChange: (day: string) => void }) {
  return (
    <label class="field">
      <span class="small quiet">{part.label}</span>
      <input type="date" value={part.value} onChange={(event) => part.onChange(event.currentTarget.value)} />
    </label>
  )
}
