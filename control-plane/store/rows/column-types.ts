/** Types of columns that differ between reading and writing. */
import type { ColumnType } from 'kysely'

/** A document: written as a value that is turned into JSON, read as parsed. */
export type Json<T> = ColumnType<T, T, T>
export type Time = ColumnType<Date, Date | string, Date | string>
/** A time with a default in the database. */
export type Created = ColumnType<Date, Date | string | undefined, Date | string>
