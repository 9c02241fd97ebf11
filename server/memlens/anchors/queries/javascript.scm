(class_declaration name: (identifier) @name) @definition.type
(class_body (field_definition
  property: [(property_identifier) (private_property_identifier)] @name) @definition.field)
