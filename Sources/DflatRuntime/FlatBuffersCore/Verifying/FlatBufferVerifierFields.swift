// The checks that generated code makes of a table's fields, one call for each field. None of them throws: the verifier
// keeps the first error, and from then on sees the table without fields, so that nothing more is checked. A call that
// throws takes the caller some instructions for its error, at every field of a schema.

// The checks of scalars, structs, strings and vectors repeat a few lines of the methods that throw: to call those would
// take further instructions.

extension FlatBufferVerifier {
  /// Verifies the position and the vtable of the table at `position`, whose fields the calls that follow check. Call
  /// ``endFields()`` after them.
  ///
  /// - Throws: the first error found.
  public mutating func beginFields(ofTableAt position: Int) throws(FlatBufferError) {
    fields = try beginTable(at: position)
  }

  /// Ends the table of ``beginFields(ofTableAt:)``.
  ///
  /// - Throws: the first error found in its fields, and in what they refer to.
  public mutating func endFields() throws(FlatBufferError) {
    // An error leaves the table without fields.
    if _slowPath(fields.vtableSize == 0), let error = fieldError {
      fieldError = nil
      throw error
    }
    endTable()
  }

  // Inlined, or kept out of line, for the benchmark row "verify": generated code calls these methods for each field.
  /// Keeps the first error, and checks no more fields.
  @usableFromInline @inline(never)
  mutating func noteFieldError(_ error: FlatBufferError) {
    if fieldError == nil { fieldError = error }
    fields = Table(position: fields.position, vtable: fields.vtable, vtableSize: 0)
  }

  /// Checks the scalar of `size` bytes, a power of two, in the field at `slot`, if present.
  public mutating func checkScalar(size: Int, at slot: VTableOffset) {
    do throws(FlatBufferError) {
      guard let field = try field(at: slot, in: fields, required: false) else { return }
      try check(field, count: size, alignment: size)
    } catch { noteFieldError(error) }
  }

  /// Checks the struct of `size` bytes in the field at `slot`, if present.
  public mutating func checkStruct(size: Int, alignment: Int, at slot: VTableOffset, required: Bool = false) {
    do throws(FlatBufferError) {
      guard let field = try field(at: slot, in: fields, required: required) else { return }
      try check(field, count: size, alignment: alignment)
    } catch { noteFieldError(error) }
  }

  /// Checks the string in the field at `slot`, if present.
  public mutating func checkString(at slot: VTableOffset, required: Bool = false) {
    do throws(FlatBufferError) {
      guard let position = try checkedTarget(at: slot, in: fields, required: required) else { return }
      try checkString(at: position)
    } catch { noteFieldError(error) }
  }

  /// Checks the vector in the field at `slot`, if present. Its elements have `stride` bytes and hold no offsets.
  public mutating func checkVector(stride: Int, at slot: VTableOffset, required: Bool = false) {
    do throws(FlatBufferError) {
      _ = try elements(stride: stride, in: fields, at: slot, required: required)
    } catch { noteFieldError(error) }
  }

  /// Checks the vector of strings in the field at `slot`, if present, and the strings.
  ///
  /// It is marked as not inlined, since the optimizer would inline so short a method at each field.
  @inline(never)
  public mutating func checkStrings(at slot: VTableOffset, required: Bool = false) {
    do throws(FlatBufferError) {
      try vector(of: String.self, in: fields, at: slot, required: required)
    } catch { noteFieldError(error) }
  }

  /// Checks the `(offset64)` string in the field at `slot`, if present.
  public mutating func checkString(offset64At slot: VTableOffset, required: Bool = false) {
    do throws(FlatBufferError) {
      try string(in: fields, offset64At: slot, required: required)
    } catch { noteFieldError(error) }
  }

  /// Checks the `(offset64)` vector in the field at `slot`, if present. Its elements have `stride` bytes and hold no
  /// offsets.
  public mutating func checkVector(stride: Int, offset64At slot: VTableOffset, required: Bool = false) {
    do throws(FlatBufferError) {
      try vector(stride: stride, in: fields, offset64At: slot, required: required)
    } catch { noteFieldError(error) }
  }

  /// Checks the `(vector64)` vector in the field at `slot`, if present. Its elements have `stride` bytes and hold no
  /// offsets.
  public mutating func checkVector(stride: Int, vector64At slot: VTableOffset, required: Bool = false) {
    do throws(FlatBufferError) {
      try vector(stride: stride, in: fields, vector64At: slot, required: required)
    } catch { noteFieldError(error) }
  }

  // MARK: Fields with a type of their own

  // Generic code is specialized for each type, and not for each field.

  /// Calls `check`, which may begin the fields of other tables, and then continues with the fields of this one.
  @inlinable @inline(__always)
  mutating func checkReferences(
    _ check: (inout FlatBufferVerifier, Table) throws(FlatBufferError) -> Void
  ) {
    let outer = fields
    do throws(FlatBufferError) {
      try check(&self, outer)
      fields = outer
    } catch { noteFieldError(error) }
  }

  /// Checks the offset in the field at `slot` and returns its target; -1 if the field is absent, or refused.
  @usableFromInline
  mutating func targetOfField(at slot: VTableOffset, required: Bool) -> Int {
    do throws(FlatBufferError) {
      return try checkedTarget(at: slot, in: fields, required: required) ?? -1
    } catch {
      noteFieldError(error)
      return -1
    }
  }

  /// Checks the table in the field at `slot`, if present, and everything that it refers to.
  @inlinable
  public mutating func checkTable<View: FlatBufferTableView>(
    _ view: View.Type, at slot: VTableOffset, required: Bool = false
  ) {
    let position = targetOfField(at: slot, required: required)
    if position < 0 { return }
    checkReferences { verifier, _ throws(FlatBufferError) in try View.verify(&verifier, at: position) }
  }

  /// Checks the vector of tables in the field at `slot`, if present, and everything that the tables refer to.
  @inlinable
  public mutating func checkTables<View: FlatBufferTableView>(
    _ view: View.Type, at slot: VTableOffset, required: Bool = false
  ) {
    checkReferences { verifier, table throws(FlatBufferError) in
      try verifier.vector(of: view, in: table, at: slot, required: required)
    }
  }

  /// Checks the union whose member is in the field at `slot`, if present, and everything that the member refers to. A
  /// member with a type code that this version of the schema does not know is not checked.
  @inlinable
  public mutating func checkUnion<View: FlatBufferUnionView>(
    _ view: View.Type, at slot: VTableOffset, required: Bool = false
  ) {
    checkReferences { verifier, table throws(FlatBufferError) in
      try verifier.union(of: view, in: table, at: slot, required: required)
    }
  }

  /// Checks the vector of unions whose members are in the field at `slot`, if present, and everything that they refer to.
  @inlinable
  public mutating func checkUnions<View: FlatBufferUnionView>(
    _ view: View.Type, at slot: VTableOffset, required: Bool = false
  ) {
    checkReferences { verifier, table throws(FlatBufferError) in
      try verifier.unionVector(of: view, in: table, at: slot, required: required)
    }
  }

  /// Checks the FlatBuffer with the root table `View` that is nested in the field at `slot`, a vector of bytes, if
  /// present.
  @inlinable
  public mutating func checkNestedBuffer<View: FlatBufferTableView>(
    of view: View.Type, at slot: VTableOffset, required: Bool = false
  ) {
    checkReferences { verifier, table throws(FlatBufferError) in
      try verifier.nestedBuffer(of: view, in: table, at: slot, required: required)
    }
  }

  /// Checks the FlatBuffer with the root table `View` that is nested in the field at `slot`, an `(offset64)` vector of
  /// bytes, if present.
  @inlinable
  public mutating func checkNestedBuffer<View: FlatBufferTableView>(
    of view: View.Type, offset64At slot: VTableOffset, required: Bool = false
  ) {
    checkReferences { verifier, table throws(FlatBufferError) in
      try verifier.nestedBuffer(of: view, in: table, offset64At: slot, required: required)
    }
  }

  /// Checks the FlatBuffer with the root table `View` that is nested in the field at `slot`, a `(vector64)` vector of
  /// bytes, if present.
  @inlinable
  public mutating func checkNestedBuffer<View: FlatBufferTableView>(
    of view: View.Type, vector64At slot: VTableOffset, required: Bool = false
  ) {
    checkReferences { verifier, table throws(FlatBufferError) in
      try verifier.nestedBuffer(of: view, in: table, vector64At: slot, required: required)
    }
  }
}
