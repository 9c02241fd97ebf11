; What JavaScript and TypeScript have in common.
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
; A constructor function is a type; its body is still a function's.
(function_declaration name: (identifier) @name body: (statement_block) @scope) @constructor.type

(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.type
(variable_declarator name: (identifier) @name value: (_) @value) @definition.constant

(class_body (method_definition
  name: [(property_identifier) (private_property_identifier)] @name) @definition.function)

; Members of an object that has a name of its own: CODES.NOT_FOUND.
(variable_declarator value: (object (pair key: (property_identifier) @name) @definition.field))
(variable_declarator value: (object (method_definition name: (property_identifier) @name) @definition.function))

(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  (#eq? @_prototype "prototype")) @definition.function
(assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  (#any-of? @_exports "exports" "module.exports")) @declaration.constant
(assignment_expression
  left: (member_expression object: (this) property: (property_identifier) @name)) @member.field

(method_definition body: (statement_block) @scope)
(arrow_function) @scope
(function_expression) @scope
(generator_function) @scope
(class_static_block) @scope
