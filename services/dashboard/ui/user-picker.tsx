// Users by their names. The API searches them: there may be thousands.
import { useState } from "preact/hooks"
import { userOf } from "../api/people.ts"
import { Picker, type PickerProps } from "./picker.tsx"
import { useFoundUsers } from "./user-options.tsx"

type UserPickerProps = Pick<
  PickerProps,
  "label" | "value" | "onChange" | "most" | "placeholder" | "isInvalid"
>

export function UserPicker(part: UserPickerProps) {
  const [search, setSearch] = useState("")
  const found = useFoundUsers(search)
  return (
    <Picker
      {...part}
      options={found.map(({ userId, userName }) => ({ value: userId, label: userName }))}
      labelOf={(id) => userOf(id)?.userName ?? id}
      onSearch={setSearch}
    />
  )
}
