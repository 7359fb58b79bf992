import { ActivityTypeSchema } from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { ActivityStatusSchema } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"

/** Type and final status are stored as their numbers: both are in each row and in an index. 0.1.0 stored their names. */
const NUMBER = /^[0-9]+$/
const FINAL_STATUSES = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_FAILED", "ACTIVITY_STATUS_REJECTED"]

type Values = readonly { name: string; number: number }[]

const numbersOf = (values: Values) => new Map(values.map(({ name, number }) => [name, String(number)]))
const namesOf = (values: Values) => new Map(values.map(({ name, number }) => [String(number), name]))

const typeNumbers = numbersOf(ActivityTypeSchema.values)
const typeNames = namesOf(ActivityTypeSchema.values)
const finalStatuses = ActivityStatusSchema.values.filter(({ name }) => FINAL_STATUSES.includes(name))
const statusNumbers = numbersOf(finalStatuses)
const statusNames = namesOf(finalStatuses)

/** True if an activity never changes its status again. */
export function isFinal({ status }: { status: string }): boolean {
  return FINAL_STATUSES.includes(status)
}

export function storedType(name: string): string {
  return typeNumbers.get(name) ?? name
}

export function storedStatus(name: string): string {
  return statusNumbers.get(name) ?? name
}

/** @throws {RangeError} a number of a later release */
export function typeName(stored: string): string {
  return nameIn(typeNames, stored)
}

/** @throws {RangeError} a number of a later release */
export function statusName(stored: string): string {
  return nameIn(statusNames, stored)
}

function nameIn(names: ReadonlyMap<string, string>, stored: string): string {
  const name = NUMBER.test(stored) ? names.get(stored) : stored
  if (name === undefined)
    throw new RangeError(`an activity has a type or a status of a later release: ${stored}`)
  return name
}

/** All spellings in which rows have these values. */
export function everySpelling(names: readonly string[], stored: (name: string) => string): string[] {
  return [...new Set(names.flatMap((name) => [name, stored(name)]))]
}
