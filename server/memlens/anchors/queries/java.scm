(class_declaration name: (identifier) @name) @definition.type
(interface_declaration name: (identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.type
(record_declaration name: (identifier) @name) @definition.type
(annotation_type_declaration name: (identifier) @name) @definition.type
(method_declaration name: (identifier) @name) @definition.function
(enum_constant name: (identifier) @name) @definition.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(interface_body (constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant)
; A constructor has the name of its class, whose line is the definition.
(constructor_declaration) @scope
(lambda_expression) @scope
