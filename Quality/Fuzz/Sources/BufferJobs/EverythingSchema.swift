/// The text of `everything.fbs`, a schema with every kind of field in the wire format.
package let everythingSchema = String(decoding: PackageResources.everything_fbs, as: UTF8.self)
