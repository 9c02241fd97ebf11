(class_declaration name: (type_identifier) @name) @definition.type
(abstract_class_declaration name: (type_identifier) @name) @definition.type
(interface_declaration name: (type_identifier) @name) @definition.type
(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.type
(enum_body name: (property_identifier) @name @definition.constant)
(enum_body (enum_assignment name: (property_identifier) @name) @definition.constant)
(internal_module name: (identifier) @name) @definition.module

; A signature gives way to the implementation beside it.
(function_signature name: (identifier) @name) @declaration.function
(interface_body (method_signature name: (property_identifier) @name) @declaration.function)
(class_body (method_signature name: (property_identifier) @name) @declaration.function)
(abstract_method_signature name: (property_identifier) @name) @declaration.function
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))

(class_body (public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name) @definition.field)
(interface_body (property_signature name: (property_identifier) @name) @definition.field)
(type_alias_declaration
  value: (object_type (property_signature name: (property_identifier) @name) @definition.field))
